"""Drop-in replacements for the metric functions of other libraries."""
