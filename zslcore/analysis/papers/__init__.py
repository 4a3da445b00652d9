"""What the three papers print: tables, claims, findings, experiments run again."""
