// @ts-check
// Which names there are, and of what kind, TypeScript checks (tsconfig.json).

import js from "@eslint/js";
import { defineConfig } from "eslint/config";

export default defineConfig(
  { ignores: [".venv/", "docs/_build/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off",
      complexity: ["error", 15],
      eqeqeq: "error",
      "no-restricted-syntax": ["error", {
        selector: ":matches(Program, ExportNamedDeclaration) > [declarations.length>1]",
        message: "One name a line here: zslcore/interactive/one_file.py looks for names defined twice.",
      }],
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
);
