"""Files of hands, one module for each format: text into `Hand` records and back."""
