// Promela with pv in VS Code: starts `pv lsp`, and runs the two commands behind the lenses in a terminal.
"use strict";
const path = require("path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function setting(name) {
  return vscode.workspace.getConfiguration("pv").get(name);
}

// The file of a lens, or of the editor in front.
function fileOf(uri) {
  const active = vscode.window.activeTextEditor;
  return uri ? vscode.Uri.parse(uri).fsPath : active && active.document.uri.fsPath;
}

// Runs pv with words that no shell takes apart, in the folder of the model.
function run(file, words) {
  const task = new vscode.Task(
    { type: "process" },
    vscode.TaskScope.Workspace,
    "pv " + words[0],
    "pv",
    new vscode.ProcessExecution(setting("path"), words, { cwd: path.dirname(file) })
  );
  task.presentationOptions = { clear: true, reveal: vscode.TaskRevealKind.Always };
  return vscode.tasks.executeTask(task);
}

async function verify(uri, property) {
  const file = fileOf(uri);
  if (!file) {
    return;
  }
  await vscode.workspace.saveAll(false);
  const only = property ? ["--property", property] : [];
  return run(file, ["check", "--no-bar", ...only, ...preprocessor(file), ...setting("checkOptions"), "--", path.basename(file)]);
}

// Macros and folders for included files, for a command line.
function preprocessor(file) {
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  const root = folder ? folder.uri.fsPath : path.dirname(file);
  return [...setting("defines").map((define) => "-D" + define), ...setting("includes").flatMap((one) => ["-I", path.resolve(root, one)])];
}

function replay(uri) {
  const file = fileOf(uri);
  if (file) {
    const name = path.basename(file);
    return run(file, ["replay", ...preprocessor(file), "--", name, name + ".trail.json"]);
  }
}

function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("pv.verify", verify),
    vscode.commands.registerCommand("pv.replay", replay)
  );
  client = new LanguageClient(
    "pv",
    "pv",
    { command: setting("path"), args: ["lsp"] },
    {
      documentSelector: [{ language: "promela" }],
      // The commands are registered here, in the client.
      initializationOptions: { clientCommands: true, defines: setting("defines"), includes: setting("includes") },
      synchronize: { configurationSection: "pv" },
    }
  );
  return client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
