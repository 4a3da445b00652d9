// @ts-check
// TypeScript checks whether names exist, and their types (tsconfig.json).

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
      }, {
        selector: "AssignmentExpression[left.object.type='ThisExpression'][right.type=/Function/]",
        message: "Define a method or a field: TypeScript does not check whether an assignment overrides one.",
      }],
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
);
