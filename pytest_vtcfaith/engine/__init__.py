"""How models are run: one case to one transcript, stored replies, secrets kept out, threads."""
