"""Everything that is a user's, as records that leave one installation and come into another."""
