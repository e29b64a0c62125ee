-- Promela with pv in Neovim 0.8 or newer: the file type, the language server, and the commands :PvVerify and :PvReplay.
-- Put this file into ~/.config/nvim/plugin/ (or anywhere on the runtime path). Set vim.g.pv_path if pv is not on the PATH,
-- vim.g.pv_defines = { "N=3" } and vim.g.pv_includes = { "parts" } for models that need -D and -I.

local pv = vim.g.pv_path or "pv"

vim.filetype.add({ extension = { pml = "promela", promela = "promela", prom = "promela" } })

-- Macros and folders for included files, for a command line.
local function preprocessor()
  local words = {}
  for _, define in ipairs(vim.g.pv_defines or {}) do
    table.insert(words, "-D" .. define)
  end
  for _, folder in ipairs(vim.g.pv_includes or {}) do
    vim.list_extend(words, { "-I", folder })
  end
  return words
end

-- Runs a command of pv in a split below.
local function terminal(arguments)
  vim.cmd("botright 15new")
  vim.fn.termopen(vim.list_extend({ pv }, arguments))
end

local function verify(file, property)
  local arguments = vim.list_extend({ "check" }, preprocessor())
  if property and property ~= "" then
    vim.list_extend(arguments, { "--property", property })
  end
  terminal(vim.list_extend(arguments, { "--", file }))
end

-- The trail stands where pv check was run.
local function replay(file)
  terminal(vim.list_extend(vim.list_extend({ "replay" }, preprocessor()), { "--", file, vim.fn.fnamemodify(file, ":t") .. ".trail.json" }))
end

-- The commands behind the lenses (vim.lsp.codelens.run): the address of the document, and the name of a property or nothing.
vim.lsp.commands["pv.verify"] = function(command)
  verify(vim.uri_to_fname(command.arguments[1]), command.arguments[2])
end
vim.lsp.commands["pv.replay"] = function(command)
  replay(vim.uri_to_fname(command.arguments[1]))
end

vim.api.nvim_create_user_command("PvVerify", function(options)
  verify(vim.api.nvim_buf_get_name(0), options.fargs[1])
end, { nargs = "?" })
vim.api.nvim_create_user_command("PvReplay", function()
  replay(vim.api.nvim_buf_get_name(0))
end, {})

vim.api.nvim_create_autocmd("FileType", {
  pattern = "promela",
  callback = function(event)
    vim.bo[event.buf].commentstring = "/* %s */"
    local name = vim.api.nvim_buf_get_name(event.buf)
    vim.lsp.start({
      name = "pv",
      cmd = { pv, "lsp" },
      root_dir = vim.fn.fnamemodify(name, ":h"),
      init_options = { clientCommands = true, defines = vim.g.pv_defines, includes = vim.g.pv_includes },
    })
    vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "BufWritePost" }, {
      buffer = event.buf,
      callback = function()
        vim.lsp.codelens.refresh()
      end,
    })
  end,
})
