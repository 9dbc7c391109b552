"""Parts of scripts/make-icons, one purpose a file. docs/icons.md states the rules that they follow."""
