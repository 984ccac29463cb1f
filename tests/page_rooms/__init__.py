"""What processes of the page's tests are asked."""
