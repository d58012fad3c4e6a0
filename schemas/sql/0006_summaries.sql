-- A summary is made from the texts as fast as a stored one could be read and checked: none is kept.
DROP TABLE session_summaries;
