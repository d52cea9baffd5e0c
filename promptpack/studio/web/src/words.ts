/** The words of the page in English and Chinese. */
const en = {
  packs: "Packs", files: "Other files", search: "Names, texts, inputs", searching: "Search packs", noPacks: "No packs in this folder yet.",
  nothingFound: "Nothing found.", more: "{0} more; add a word", flow: "Flow", editor: "Editor", panel: "Prompt", preview: "Preview", reply: "Reply",
  tests: "Tests", versions: "Versions", uses: "Uses", save: "Save", saved: "Saved", draft: "Unsaved draft", unsaved: "not saved yet",
  newVersion: "New version…", problems: "Problems", noProblems: "No problems", fix: "Fix", connected: "Connected", disconnected: "Connecting again…",
  open: "Open a pack on the left, and see its prompt here while you write.", openTitle: "Nothing open", language: "中文", languageLabel: "Switch to Chinese", theme: "Theme: {0}",
  auto: "automatic", light: "light", dark: "dark", messages: "{0} messages", characters: "{0} characters", tokens: "{0} {1}",
  lastGood: "The last prompt that worked. The text has a problem now.", context: "Context", form: "Form", json: "JSON", required: "required", optional: "optional",
  untrusted: "untrusted", secret: "secret", test: "Test", kept: "Kept context", example: "An example", chosen: "Values of", own: "your own values",
  keep: "Keep…", keepName: "Name of the context", forget: "Forget", loadCall: "Load a recorded call…", recorded: "Recorded call (JSON)", load: "Load", cancel: "Cancel",
  missing: "missing: {0}", leftOut: "left out: {0}", copy: "Copy as", copied: "Copied", curl: "cURL", python: "Python", history: "history", warnings: "Warnings",
  legend: "Where the text comes from", trusted: "pack", fenced: "in a fence", untrustedText: "untrusted", secretText: "secret", inputText: "input", partialText: "partial",
  pasteReply: "Reply of a model", checkReply: "Check", tryIt: "Try it", stop: "Stop", model: "Answers: {0}", verdict: "Verdict", correction: "The correction that would be sent",
  repairs: "Repaired", violations: "Violations", unchecked: "Not checked without a context: {0}", round: "Round {0}", sentTokens: "{0} tokens in, {1} out", accepted: "accepted", refused: "refused",
  runTests: "Run tests", running: "Running…", passed: "passed", failed: "failed", noTests: "The pack has no tests.", coverage: "Coverage", showCoverage: "Draw on the source",
  covers: "{0} % of {1} points", expected: "expected", found: "found", compare: "Compare", old: "Old", new: "New", draftSide: "Draft (as typed)", savedSide: "Saved file",
  prompts: "Prompt", contract: "Contract", file: "File", same: "No difference.", needs: "needs a {0} version", restore: "Restore the old side as a new draft", label: "label",
  extendedBy: "Extended by", extendsTitle: "Extends", steps: "Steps in the flow", fedBy: "Fed by", feeds: "Feeds", nowhere: "Nothing else uses this pack.", noFlow: "There is no flow.yaml next to the packs.",
  release: "{0} is a release", releaseWhy: "A release is not overwritten, because programs may use it. Save your text as a new version; the release keeps its text.",
  patch: "patch", minor: "minor", major: "major", needed: "your changes need this", createDraft: "Create {0}", overRelease: "Overwrite the release", notLocked: "It is not locked in packs.lock.",
  conflict: "The file has changed on disk", conflictWhy: "Nothing was overwritten. On the left is the file on disk, on the right your text. Take over what you need, then save the right side.", saveMine: "Save the right side", takeTheirs: "Use the file on disk",
  changedOnDisk: "This file has changed on disk.", show: "Show both", deletedOnDisk: "This file was deleted on disk. Save to write it again.", restored: "Your unsaved draft from before is open.", discard: "Discard it",
  elsewhere: "Another tab has unsaved text of this file, too. Both are kept as drafts, and saving never overwrites the other one.", leftDraft: "There is another unsaved draft of this file.", openDraft: "Open it", tooManyTabs: "Too many tabs of the studio are open. Close one.",
  close: "Close", undoFix: "Apply the fix", line: "line {0}", collapse: "Hide", expand: "Show", draftsNotKept: "Drafts are not kept after a crash: there is no private folder.", skip: "Skip to the editor", created: "Created {0}", risk: "risk: {0}",
  breaking: "breaking", narrowing: "narrowing", compatible: "compatible", cosmetic: "cosmetic", added: "added", removed: "removed", changed: "changed", unchanged: "unchanged", noContract: "The pack has no reply contract.",
  modelOverlay: "Model", noOverlay: "no overlay", value: "value", lintOk: "no problems", errors: "errors: {0}", warningsCount: "warnings: {0}", testsOk: "{0} passed", testsFailed: "{0} failed", unsavedDraft: "unsaved draft", welcome: "See the prompt while you write it.",
};
export type Word = keyof typeof en;
const zh: Record<Word, string> = {
  packs: "提示词包", files: "其他文件", search: "搜索名称、文本、输入", searching: "搜索提示词包", noPacks: "这个文件夹里还没有提示词包。",
  nothingFound: "没有找到。", more: "还有 {0} 个；请再加一个词", flow: "流程", editor: "编辑器", panel: "提示词", preview: "预览", reply: "回复",
  tests: "测试", versions: "版本", uses: "引用", save: "保存", saved: "已保存", draft: "未保存的草稿", unsaved: "尚未保存",
  newVersion: "新版本…", problems: "问题", noProblems: "没有问题", fix: "修复", connected: "已连接", disconnected: "正在重新连接…",
  open: "在左侧打开一个提示词包，边写边看它的提示词。", openTitle: "尚未打开文件", language: "English", languageLabel: "切换到英文", theme: "主题：{0}",
  auto: "自动", light: "浅色", dark: "深色", messages: "{0} 条消息", characters: "{0} 个字符", tokens: "{0} {1}",
  lastGood: "这是上一次成功的提示词。现在的文本有问题。", context: "上下文", form: "表单", json: "JSON", required: "必填", optional: "可选",
  untrusted: "不可信", secret: "机密", test: "测试", kept: "保存的上下文", example: "示例", chosen: "取值来自", own: "自己填写",
  keep: "保存…", keepName: "上下文的名称", forget: "删除", loadCall: "载入调用记录…", recorded: "调用记录（JSON）", load: "载入", cancel: "取消",
  missing: "缺少：{0}", leftOut: "未使用：{0}", copy: "复制为", copied: "已复制", curl: "cURL", python: "Python", history: "历史", warnings: "警告",
  legend: "文字的来源", trusted: "提示词包", fenced: "围栏内", untrustedText: "不可信", secretText: "机密", inputText: "输入", partialText: "片段",
  pasteReply: "模型的回复", checkReply: "检查", tryIt: "试一试", stop: "停止", model: "由 {0} 回答", verdict: "结论", correction: "将发回的更正",
  repairs: "已修复", violations: "违反契约", unchecked: "没有上下文，未检查：{0}", round: "第 {0} 轮", sentTokens: "输入 {0}，输出 {1} 个 token", accepted: "通过", refused: "未通过",
  runTests: "运行测试", running: "正在运行…", passed: "通过", failed: "失败", noTests: "这个包没有测试。", coverage: "覆盖率", showCoverage: "标在源文件上",
  covers: "{1} 个点的 {0} %", expected: "期望", found: "实际", compare: "比较", old: "旧", new: "新", draftSide: "草稿（正在输入）", savedSide: "已保存的文件",
  prompts: "提示词", contract: "契约", file: "文件", same: "没有差别。", needs: "需要 {0} 版本", restore: "把旧的一侧恢复为新草稿", label: "标签",
  extendedBy: "被继承", extendsTitle: "继承", steps: "流程中的步骤", fedBy: "数据来自", feeds: "数据流向", nowhere: "没有其他地方使用这个包。", noFlow: "提示词包旁边没有 flow.yaml。",
  release: "{0} 是正式版本", releaseWhy: "正式版本可能正在被程序使用，不会被覆盖。请把文本保存为新版本，正式版本保持不变。",
  patch: "补丁", minor: "次版本", major: "主版本", needed: "你的改动需要它", createDraft: "创建 {0}", overRelease: "覆盖正式版本", notLocked: "它没有锁定在 packs.lock 中。",
  conflict: "磁盘上的文件已改变", conflictWhy: "没有覆盖任何内容。左边是磁盘上的文件，右边是你的文本。取用需要的部分，然后保存右边。", saveMine: "保存右边", takeTheirs: "使用磁盘上的文件",
  changedOnDisk: "这个文件在磁盘上改变了。", show: "并排显示", deletedOnDisk: "这个文件已从磁盘删除。保存会重新写入。", restored: "已打开之前未保存的草稿。", discard: "丢弃",
  elsewhere: "另一个标签页里也有这个文件的未保存文本。两份都作为草稿保留，保存时不会互相覆盖。", leftDraft: "这个文件还有一份未保存的草稿。", openDraft: "打开", tooManyTabs: "打开的标签页太多，请关闭一个。",
  close: "关闭", undoFix: "应用修复", line: "第 {0} 行", collapse: "收起", expand: "展开", draftsNotKept: "没有私有文件夹，崩溃后草稿不会保留。", skip: "跳到编辑器", created: "已创建 {0}", risk: "风险：{0}",
  breaking: "不兼容", narrowing: "收窄", compatible: "兼容", cosmetic: "仅外观", added: "新增", removed: "删除", changed: "改变", unchanged: "未变", noContract: "这个包没有回复契约。",
  modelOverlay: "模型", noOverlay: "无覆盖", value: "取值", lintOk: "没有问题", errors: "{0} 个错误", warningsCount: "{0} 个警告", testsOk: "{0} 个通过", testsFailed: "{0} 个失败", unsavedDraft: "未保存的草稿", welcome: "边写边看提示词。",
};
const dictionaries = {en, zh};
export type Language = keyof typeof dictionaries;
let language: Language = "en";

export function speak(chosen: Language) {
  language = chosen;
  document.documentElement.lang = chosen === "zh" ? "zh-CN" : "en";
}

export function t(word: Word, ...values: (string | number)[]): string {
  return dictionaries[language][word].replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ""));
}
