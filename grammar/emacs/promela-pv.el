;;; promela-pv.el --- Promela with the verifier pv -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; A major mode with colours and indentation, the language server of pv through Eglot, and the commands
;; `promela-pv-verify' and `promela-pv-replay'.

;;; Code:

(require 'compile)

(defgroup promela-pv nil "Promela with pv." :group 'languages)

(defcustom promela-pv-program "pv" "The program pv." :type 'string)

(defcustom promela-pv-defines nil "Macros for models that need them, as in (\"N=3\")." :type '(repeat string))

(defcustom promela-pv-includes nil "Folders in which included files are looked for." :type '(repeat string))

(defun promela-pv--preprocessor ()
  "Macros and folders for a command line."
  (mapconcat #'shell-quote-argument
             (append (mapcar (lambda (define) (concat "-D" define)) promela-pv-defines)
                     (mapcan (lambda (folder) (list "-I" (expand-file-name folder))) promela-pv-includes)
                     '("--"))
             " "))

(defcustom promela-pv-indent 4 "Columns of one step of indentation." :type 'integer)

(defconst promela-pv-keywords
  '("atomic" "break" "d_step" "do" "else" "fi" "for" "goto" "if" "in" "od" "return" "run" "select" "unless")
  "Words of control.")

(defconst promela-pv-types
  '("D_proctype" "active" "bit" "bool" "byte" "chan" "hidden" "init" "inline" "int" "local" "ltl" "mtype" "never" "notrace" "of" "pid" "priority" "proctype" "provided" "short" "show" "trace" "typedef" "unsigned" "xr" "xs")
  "Words of types and declarations.")

(defconst promela-pv-functions
  '("assert" "c_code" "c_decl" "c_expr" "c_state" "c_track" "empty" "enabled" "eval" "full" "get_priority" "len" "nempty" "nfull" "np_" "pc_value" "printf" "printm" "set_priority" "timeout")
  "Predefined functions and statements.")

(defconst promela-pv-constants
  '("false" "skip" "true")
  "Constants.")

(defvar promela-pv-font-lock
  `(("^[ \t]*#[ \t]*[a-z]+" . font-lock-preprocessor-face)
    ("\\_<\\(?:D_proctype\\|proctype\\|inline\\|typedef\\|ltl\\|run\\)[ \t]+\\([A-Za-z_][A-Za-z_0-9]*\\)" 1 font-lock-function-name-face)
    ("\\_<goto[ \t]+\\([A-Za-z_][A-Za-z_0-9]*\\)" 1 font-lock-constant-face)
    ("^[ \t]*\\([A-Za-z_][A-Za-z_0-9]*\\)[ \t]*:\\(?:[^:]\\|$\\)" 1 font-lock-constant-face)
    (,(regexp-opt promela-pv-keywords 'symbols) . font-lock-keyword-face)
    (,(regexp-opt promela-pv-types 'symbols) . font-lock-type-face)
    (,(regexp-opt promela-pv-functions 'symbols) . font-lock-builtin-face)
    (,(regexp-opt promela-pv-constants 'symbols) . font-lock-constant-face)
    ("\\_<\\(?:_pid\\|_nr_pr\\|_last\\|_priority\\)\\_>" . font-lock-variable-name-face))
  "Colours of Promela.")

(defvar promela-pv-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\' "\"" table)
    table)
  "Comments and texts of Promela.")

(defun promela-pv-indent-line ()
  "Indent a line by the blocks and choices that are open in front of it."
  (interactive)
  ;; The lines of a comment are the author's.
  (unless (nth 4 (save-excursion (syntax-ppss (line-beginning-position))))
    (promela-pv--indent)))

(defun promela-pv--indent ()
  "Indent a line that does not begin inside a comment."
  (let ((depth 0) (back 0))
    (save-excursion
      (beginning-of-line)
      (let ((end (point)))
        (goto-char (point-min))
        (while (re-search-forward "[{}]\\|\\_<\\(?:if\\|do\\|fi\\|od\\)\\_>" end t)
          (let ((state (save-excursion (syntax-ppss (match-beginning 0)))))
            (unless (or (nth 3 state) (nth 4 state)
                        (save-excursion (beginning-of-line) (looking-at-p "[ \t]*#")))
              (setq depth (+ depth (if (member (match-string 0) '("{" "if" "do")) 1 -1))))))
        (goto-char end)
        (when (looking-at-p "[ \t]*\\(?:}\\|\\_<\\(?:fi\\|od\\)\\_>\\|::\\)")
          (setq back 1))
        (when (looking-at-p "[ \t]*#")
          (setq back depth))))
    (let ((from-end (- (point-max) (point))))
      (indent-line-to (* promela-pv-indent (max 0 (- depth back))))
      (when (> (- (point-max) from-end) (point))
        (goto-char (- (point-max) from-end))))))

(defun promela-pv-verify (&optional property)
  "Verify the model of this buffer; with a prefix argument ask for a PROPERTY."
  (interactive (list (when current-prefix-arg (read-string "Property: "))))
  (compile (concat (shell-quote-argument promela-pv-program) " check --no-bar "
                   (if property (concat "--property " (shell-quote-argument property) " ") "")
                   (promela-pv--preprocessor) " " (shell-quote-argument (file-name-nondirectory buffer-file-name)))))

(defun promela-pv-replay ()
  "Replay the counterexample that `promela-pv-verify' has found."
  (interactive)
  (let ((file (file-name-nondirectory buffer-file-name)))
    (compile (concat (shell-quote-argument promela-pv-program) " replay " (promela-pv--preprocessor) " " (shell-quote-argument file) " "
                     (shell-quote-argument (concat file ".trail.json"))))))

(defvar promela-pv-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c C-c") #'promela-pv-verify)
    (define-key map (kbd "C-c C-r") #'promela-pv-replay)
    map)
  "Keys of `promela-pv-mode'.")

;;;###autoload
(define-derived-mode promela-pv-mode prog-mode "Promela"
  "Major mode for Promela with pv."
  :syntax-table promela-pv-syntax-table
  (setq-local font-lock-defaults '(promela-pv-font-lock))
  (setq-local indent-tabs-mode nil)
  (setq-local indent-line-function #'promela-pv-indent-line)
  (setq-local comment-start "/* " comment-end " */" comment-start-skip "\\(?://+\\|/\\*+\\)[ \t]*"))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:pml\\|promela\\|prom\\)\\'" . promela-pv-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               `(promela-pv-mode
                 . (,promela-pv-program "lsp" :initializationOptions
                    (:defines ,(vconcat promela-pv-defines)
                     :includes ,(vconcat (mapcar #'expand-file-name promela-pv-includes)))))))

(declare-function eglot-ensure "eglot")
(when (locate-library "eglot")
  (add-hook 'promela-pv-mode-hook #'eglot-ensure))

(provide 'promela-pv)
;;; promela-pv.el ends here
