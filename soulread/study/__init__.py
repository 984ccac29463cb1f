"""Studies: functions that compute what a user asks for. Printing, JSON and web pages only show the result."""
