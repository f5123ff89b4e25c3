"""What Inspect sees: everything of astray that is registered with it."""
