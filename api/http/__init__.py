"""What HTTP asks of every route: who is let in, how a body is read, what happens once, how errors look."""
