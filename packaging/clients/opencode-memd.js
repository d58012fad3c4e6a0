// A plugin of opencode, for ~/.config/opencode/plugin: on an error, what memd knows of the same one stands under the
// tool's output. opencode has no way to say something before a tool runs.
export const memd = async ({ directory, $ }) => ({
  "tool.execute.after": async (call, result) => {
    const code = result.metadata?.exit;
    if (call.tool !== "bash" || !code) return;
    const input = JSON.stringify({
      hook_event_name: "PostToolUse",
      session_id: call.sessionID,
      cwd: directory,
      tool_name: call.tool,
      tool_input: call.args ?? {},
      tool_response: { exit_code: code, output: result.output },
    });
    const said = await $`memd hook recall < ${new Response(input)}`.quiet().nothrow().text();
    if (!said.trim()) return;
    result.output += "\n" + JSON.parse(said).hookSpecificOutput.additionalContext;
  },
});
