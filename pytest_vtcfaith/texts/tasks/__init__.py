"""The embedded reasoning tasks: made with every step of their solutions, from templates and texts written here."""
