"""The routes of the page, a module for each topic."""
