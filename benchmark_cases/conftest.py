"""The benchmark's own folder: pytest finds the plugin by its entry point, nothing has to be set up here."""
