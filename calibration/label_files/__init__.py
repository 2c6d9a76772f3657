"""What people said, read: label files of every form, and when two names, labels or cases in them are the same one."""
