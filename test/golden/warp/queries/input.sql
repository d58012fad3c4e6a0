CREATE TABLE agent_conversations (id INTEGER PRIMARY KEY, conversation_id TEXT, conversation_data TEXT, last_modified_at TIMESTAMP);
CREATE TABLE ai_queries (id INTEGER PRIMARY KEY, exchange_id TEXT, conversation_id TEXT, start_ts TIMESTAMP, input TEXT, working_directory TEXT, output_status TEXT, model_id TEXT);
INSERT INTO ai_queries (exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id) VALUES ('x1', 'w-1', '2026-03-01 10:00:01.250000', '[{"Query":{"text":"Why is the total off by a cent?","context":[]}}]', '/home/ada/shop', '"Completed"', 'auto');
INSERT INTO ai_queries (exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id) VALUES ('x2', 'w-1', '2026-03-01 10:00:03.250000', '[{"ActionResult":{"result":{}}}]', '/home/ada/shop', '"Completed"', 'auto');
INSERT INTO ai_queries (exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id) VALUES ('x3', 'w-1', '2026-03-01 10:00:09.250000', '[{"Query":{"text":"Round it once.","context":[]}}]', '/home/ada/shop', '"Completed"', 'auto');
INSERT INTO ai_queries (exchange_id, conversation_id, start_ts, input, working_directory, output_status, model_id) VALUES ('x4', 'w-1', '2026-03-01 10:00:10.250000', '[{"Query"', '/home/ada/shop', '"Completed"', 'auto');
INSERT INTO agent_conversations VALUES (1, 'w-1', '{}', '2026-03-01 10:00:09');
