"""Questions about pages: what a manifest of them holds, and the embedded set, whose answers are known."""
