"""Authors: advice is written by models, checked, and kept as a book."""

from astray.authors.about import About, Form, about

__all__ = ["About", "Form", "about"]
