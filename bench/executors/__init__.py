"""Where jobs run: worker processes of this machine, or of a Ray cluster; and the scheduler that both follow."""
