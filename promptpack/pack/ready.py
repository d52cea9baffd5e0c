"""The pack schema as functions, written by `make ready` from schemas/pack.schema.json; not to be changed by hand."""

# mypy: ignore-errors
from promptpack.schema.patterns import found_in
from promptpack.schema.predicates import predicate_globals

globals().update(predicate_globals(), functions=globals())
n20 = 'promptpack'
n21 = frozenset((1, ))
n22 = 'name'
n24 = 'version'
n25 = found_in('^(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})\\.(0|[1-9][0-9]{0,8})(-[0-9A-Za-z-](\\.?[0-9A-Za-z-])*)?$')
n26 = 1
n27 = 'agent'
n28 = 'description'
n29 = found_in('^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$')
n30 = 'locale'
n31 = 'abstract'
n32 = 1
n33 = 'extends'
n34 = frozenset(('handlebars', 'jinja', ))
n35 = 'syntax'
n36 = frozenset(())
n38 = found_in('^[A-Za-z][A-Za-z0-9_]*$')
n39 = 'inputs'
n40 = frozenset(())
n41 = found_in('^[A-Za-z0-9][A-Za-z0-9_.-]*$')
n42 = 'partials'
n43 = 1
n45 = 'messages'
n46 = 'system'
n47 = 'developer'
n48 = 'content'
n50 = 'role'
n51 = frozenset(('content', 'role', ))
n52 = 'chat_history'
n53 = 'info'
n54 = 'name'
n55 = 'desc'
n56 = 'kwargs'
n57 = 'returns'
n58 = frozenset(('desc', 'kwargs', 'name', 'returns', ))
n59 = 'tools'
n60 = 'action_results'
n61 = 'instruct'
n62 = 'examples'
n63 = 'input'
n64 = 'attachment'
n65 = 'output'
n66 = 'output_format'
n67 = 'options'
n68 = frozenset(('action_results', 'attachment', 'chat_history', 'developer', 'examples', 'info', 'input', 'instruct', 'options', 'output', 'output_format', 'system', 'tools', ))
n69 = 1
n70 = 'slots'
n71 = 1
n72 = 'tokens'
n73 = 1
n74 = 'characters'
n75 = 1
n76 = frozenset(('longest-observation', 'lowest-priority', 'oldest-history', ))
n77 = 'give_way'
n78 = frozenset(('characters', 'give_way', 'tokens', ))
n79 = 'budget'
n81 = 'reply'
n83 = 'tests'
n84 = frozenset(('abstract', 'agent', 'budget', 'description', 'extends', 'inputs', 'locale', 'messages', 'name', 'partials', 'promptpack', 'reply', 'slots', 'syntax', 'tests', 'version', ))
n85 = found_in('^x-')
n88 = 'messages'
n89 = frozenset(('messages', ))
n91 = 'messages'
n92 = frozenset(())
n93 = 80
n94 = found_in('^[a-z0-9](-?[a-z0-9])*$')
n135 = {'$ref': 'n95', '$defs': 'n96', '$comment': 'n97', 'title': 'n97', 'description': 'n97', 'type': 'n98', 'enum': 'n99', 'const': 'n100', 'default': 'n101', 'examples': 'n102', 'deprecated': 'n103', 'readOnly': 'n103', 'writeOnly': 'n103', 'format': 'n97', 'minLength': 'n104', 'maxLength': 'n105', 'pattern': 'n97', 'contentEncoding': 'n97', 'contentMediaType': 'n97', 'contentSchema': 'n106', 'minimum': 'n107', 'maximum': 'n107', 'exclusiveMinimum': 'n107', 'exclusiveMaximum': 'n107', 'multipleOf': 'n108', 'items': 'n109', 'prefixItems': 'n110', 'contains': 'n111', 'minContains': 'n112', 'maxContains': 'n113', 'minItems': 'n114', 'maxItems': 'n115', 'uniqueItems': 'n103', 'unevaluatedItems': 'n116', 'properties': 'n117', 'patternProperties': 'n118', 'additionalProperties': 'n119', 'unevaluatedProperties': 'n120', 'propertyNames': 'n121', 'required': 'n122', 'minProperties': 'n123', 'maxProperties': 'n124', 'dependentRequired': 'n125', 'dependentSchemas': 'n126', 'allOf': 'n127', 'anyOf': 'n128', 'oneOf': 'n129', 'not': 'n130', 'if': 'n131', 'then': 'n132', 'else': 'n133', 'trust': 'n134', 'secret': 'n103'}
n136 = frozenset(('$comment', '$defs', '$ref', 'additionalProperties', 'allOf', 'anyOf', 'const', 'contains', 'contentEncoding', 'contentMediaType', 'contentSchema', 'default', 'dependentRequired', 'dependentSchemas', 'deprecated', 'description', 'else', 'enum', 'examples', 'exclusiveMaximum', 'exclusiveMinimum', 'format', 'if', 'items', 'maxContains', 'maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength', 'minProperties', 'minimum', 'multipleOf', 'not', 'oneOf', 'pattern', 'patternProperties', 'prefixItems', 'properties', 'propertyNames', 'readOnly', 'required', 'secret', 'then', 'title', 'trust', 'type', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems', 'writeOnly', ))
n137 = found_in('^x-')
n138 = 'id'
n139 = frozenset(('assistant', 'developer', 'system', 'tool', 'user', ))
n140 = 'role'
n141 = 1
n142 = 'when'
n143 = 1
n144 = 'name'
n146 = 'content'
n147 = 1
n148 = 'tool_call_id'
n149 = 1
n151 = 'tool_calls'
n152 = 'priority'
n153 = 1
n154 = 'history'
n155 = frozenset(('content', 'history', 'id', 'name', 'priority', 'role', 'tool_call_id', 'tool_calls', 'when', ))
n156 = found_in('^x-')
n159 = 'role'
n161 = 'content'
n163 = 'name'
n165 = 'tool_call_id'
n167 = 'tool_calls'
n168 = frozenset(('content', 'name', 'role', 'tool_call_id', 'tool_calls', ))
n169 = 'role'
n170 = frozenset(())
n172 = 'content'
n173 = frozenset(())
n174 = 'type'
n175 = frozenset(('type', ))
n178 = 'contract'
n179 = frozenset(())
n181 = found_in('^[A-Za-z_][A-Za-z0-9_.:/-]*$')
n182 = 'actions'
n183 = 1
n184 = 'tools'
n185 = 'example'
n187 = 'rules'
n188 = frozenset(('absent', 'bad-escape', 'block-quote', 'boolean-text', 'call', 'comment', 'concatenation', 'double-braces', 'duplicate-same', 'elision', 'empty-placeholder', 'enum-case', 'enum-word', 'escaped', 'extra-bracket', 'extra-comma', 'extra-value', 'fence', 'fraction-text', 'html-entity', 'inner-quotes', 'json-string', 'key-alias', 'line-mark', 'list-of-one', 'literal', 'lost-bracket', 'low', 'medium', 'merged', 'missing-colon', 'missing-comma', 'missing-end', 'missing-open', 'missing-quote', 'missing-value', 'none', 'number-format', 'number-text', 'percent-text', 'prose', 'punctuation', 'quotes', 'raw-newline', 'single-item', 'stray-backslash', 'tag', 'think', 'token', 'trailing-comma', 'unquoted', 'white-space', 'wrapper', ))
n189 = 'refuse'
n190 = 1
n191 = 'correction'
n192 = frozenset(('actions', 'contract', 'correction', 'example', 'refuse', 'rules', 'tools', ))
n193 = found_in('^x-')
n194 = 'name'
n195 = 1
n196 = 'context'
n197 = 'contains'
n198 = 'excludes'
n199 = frozenset(('assistant', 'developer', 'system', 'tool', 'user', ))
n200 = 'roles'
n201 = 1
n202 = 'max_chars'
n203 = 'snapshot'
n204 = 1
n205 = 'problems'
n206 = frozenset(('contains', 'excludes', 'max_chars', 'problems', 'roles', 'snapshot', ))
n207 = 'expect'
n208 = 'reply'
n211 = 'verdict'
n212 = frozenset(('context', 'expect', 'name', 'reply', 'verdict', ))
n213 = found_in('^x-')
n214 = frozenset(('reply', ))
n215 = 'verdict'
n216 = 'slots'
n217 = frozenset(())
n219 = 1
n220 = frozenset(())
n224 = 1
n225 = 0
n226 = 0
n227 = 0
n228 = 1
n229 = 0
n230 = 0
n231 = 0
n232 = 0
n233 = frozenset(())
n234 = frozenset(())
n235 = 0
n236 = 0
n237 = frozenset(())
n238 = frozenset(())
n239 = 1
n240 = 1
n241 = 1
n242 = frozenset(('trusted', 'untrusted', ))
n243 = 1
n245 = 'id'
n246 = 1
n247 = 'name'
n248 = 1
n249 = 'arguments'
n250 = frozenset(('arguments', 'id', 'name', ))
n251 = 'history'
n252 = frozenset(())
n254 = 1
n255 = '$ref'
n256 = 1
n257 = frozenset(('$ref', ))
n258 = 'description'
n259 = 'params'
n260 = 'example'
n261 = frozenset(('description', 'example', 'params', ))
n262 = found_in('^x-')
n263 = 'name'
n264 = 'require'
n265 = 1
n266 = 'message'
n267 = 1
n268 = 1
n269 = 'when'
n270 = found_in('^(/.*)?$')
n271 = 'path'
n272 = frozenset(('message', 'name', 'path', 'require', 'when', ))
n273 = found_in('^x-')
n274 = frozenset(('invalid', 'recovered', 'valid', ))
n275 = 'violations'
n276 = 1
n277 = found_in('^PP[0-9]{3}$')
n278 = 'code'
n279 = 'path'
n280 = 'rule'
n281 = frozenset(('code', 'path', 'rule', ))
n282 = 1
n283 = frozenset(('violations', ))
n323 = {'$ref': 'n287', '$defs': 'n288', '$schema': 'n289', '$id': 'n97', '$comment': 'n97', 'title': 'n97', 'description': 'n97', 'type': 'n290', 'enum': 'n291', 'const': 'n292', 'default': 'n293', 'examples': 'n102', 'deprecated': 'n103', 'readOnly': 'n103', 'writeOnly': 'n103', 'format': 'n97', 'minLength': 'n294', 'maxLength': 'n295', 'pattern': 'n97', 'contentEncoding': 'n97', 'contentMediaType': 'n97', 'contentSchema': 'n296', 'minimum': 'n107', 'maximum': 'n107', 'exclusiveMinimum': 'n107', 'exclusiveMaximum': 'n107', 'multipleOf': 'n297', 'items': 'n298', 'prefixItems': 'n299', 'contains': 'n300', 'minContains': 'n301', 'maxContains': 'n302', 'minItems': 'n303', 'maxItems': 'n304', 'uniqueItems': 'n103', 'unevaluatedItems': 'n305', 'properties': 'n306', 'patternProperties': 'n307', 'additionalProperties': 'n308', 'unevaluatedProperties': 'n309', 'propertyNames': 'n310', 'required': 'n311', 'minProperties': 'n312', 'maxProperties': 'n313', 'dependentRequired': 'n314', 'dependentSchemas': 'n315', 'allOf': 'n316', 'anyOf': 'n317', 'oneOf': 'n318', 'not': 'n319', 'if': 'n320', 'then': 'n321', 'else': 'n322'}
n324 = frozenset(('$comment', '$defs', '$id', '$ref', '$schema', 'additionalProperties', 'allOf', 'anyOf', 'const', 'contains', 'contentEncoding', 'contentMediaType', 'contentSchema', 'default', 'dependentRequired', 'dependentSchemas', 'deprecated', 'description', 'else', 'enum', 'examples', 'exclusiveMaximum', 'exclusiveMinimum', 'format', 'if', 'items', 'maxContains', 'maxItems', 'maxLength', 'maxProperties', 'maximum', 'minContains', 'minItems', 'minLength', 'minProperties', 'minimum', 'multipleOf', 'not', 'oneOf', 'pattern', 'patternProperties', 'prefixItems', 'properties', 'propertyNames', 'readOnly', 'required', 'then', 'title', 'type', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems', 'writeOnly', ))
n325 = found_in('^x-')
n327 = 1
n328 = 'text'
n329 = 1
n330 = 'image'
n331 = frozenset(('auto', 'high', 'low', ))
n332 = 'detail'
n333 = 1
n334 = 'audio'
n335 = 'format'
n336 = 1
n337 = 'file'
n338 = 'filename'
n339 = 1
n340 = 'when'
n341 = frozenset(('audio', 'detail', 'file', 'filename', 'format', 'image', 'text', 'when', ))
n342 = found_in('^x-')
n347 = 'tool_calls'
n348 = frozenset(())
n349 = 'slots'
n350 = frozenset(())
n351 = 'extends'
n352 = frozenset(())
n353 = 'abstract'
n354 = frozenset(())
n355 = 1
n356 = frozenset(())
n357 = frozenset(('https://json-schema.org/draft/2020-12/schema', ))
n360 = 1
n361 = 0
n362 = 0
n363 = 0
n364 = 1
n365 = 0
n366 = 0
n367 = 0
n368 = 0
n369 = frozenset(())
n370 = frozenset(())
n371 = 0
n372 = 0
n373 = frozenset(())
n374 = frozenset(())
n375 = 1
n376 = 1
n377 = 1
n378 = frozenset(('array', 'boolean', 'integer', 'null', 'number', 'object', 'string', ))
n379 = 'text'
n380 = frozenset(())
n381 = 'image'
n382 = frozenset(())
n383 = 'audio'
n384 = frozenset(())
n385 = 'file'
n386 = frozenset(())
n387 = 1


def test(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n20]
  v2 = v[n22]
  v3 = v[n24]
 except KeyError: return False
 if not (type(v1) in plain_types and fingerprint(v1) in n21): return reject(v1)
 if not n23(v2, s, d + 1): return False
 if not (type(v3) is str): return reject(v3)
 if not n25(v3): return False
 if n27 in v:
  v5 = v[n27]
  if not (type(v5) is str): return reject(v5)
  if len(v5) < n26: return False
 if n28 in v:
  v5 = v[n28]
  if not (type(v5) is str): return reject(v5)
 if n30 in v:
  v5 = v[n30]
  if not (type(v5) is str): return reject(v5)
  if not n29(v5): return False
 if n31 in v:
  v5 = v[n31]
  if not (type(v5) is bool): return reject(v5)
 if n33 in v:
  v5 = v[n33]
  if not (type(v5) is str): return reject(v5)
  if len(v5) < n32: return False
 if n35 in v:
  v5 = v[n35]
  if type(v5) is not str: return reject(v5)
  if v5 not in n34: return False
 if n39 in v:
  v5 = v[n39]
  if not (type(v5) is dict): return reject(v5)
  for v8, v9 in v5.items():
   v10 = v8 in n36
   if not v10:
    if not n37(v9, s, d + 2): return False
  for v11 in v5:
   if type(v11) is str:
    if not n38(v11): return False
   elif not (type(v11) in plain_types): return reject(v11)
 if n42 in v:
  v5 = v[n42]
  if not (type(v5) is dict): return reject(v5)
  for v14, v15 in v5.items():
   v16 = v14 in n40
   if not v16:
    if not (type(v15) is str): return reject(v15)
  for v17 in v5:
   if type(v17) is str:
    if not n41(v17): return False
   elif not (type(v17) in plain_types): return reject(v17)
 if n45 in v:
  v5 = v[n45]
  if not (type(v5) is list): return reject(v5)
  if len(v5) < n43: return False
  for v18 in v5:
   if not n44(v18, s, d + 2): return False
 if n70 in v:
  v5 = v[n70]
  if not (type(v5) is dict): return reject(v5)
  if n52 in v5:
   v20 = v5[n52]
   if type(v20) is list:
    for v21 in v20:
     if type(v21) is dict:
      try:
       v22 = v21[n48]
      except KeyError: return False
      if type(v22) is list:
       for v23 in v22:
        if not n49(v23, s, d + 5): return False
      elif not (type(v22) is str): return reject(v22)
      if n50 in v21:
       v25 = v21[n50]
       if not (type(v25) is str): return reject(v25)
     elif not (type(v21) is str): return reject(v21)
   elif not (type(v20) is dict or type(v20) is str or v20 is None): return reject(v20)
  if n53 in v5:
   v20 = v5[n53]
   if not (type(v20) is dict or type(v20) is list or type(v20) is str or v20 is None): return reject(v20)
  if n59 in v5:
   v20 = v5[n59]
   if type(v20) is list:
    for v30 in v20:
     if not (type(v30) is dict): return reject(v30)
     try:
      v31 = v30[n54]
      v32 = v30[n55]
      v33 = v30[n56]
     except KeyError: return False
     if not (type(v31) is str): return reject(v31)
     if not (type(v32) is str): return reject(v32)
     if not (type(v33) is dict): return reject(v33)
   elif not (type(v20) is str or v20 is None): return reject(v20)
  if n64 in v5:
   v20 = v5[n64]
   if type(v20) is list:
    for v40 in v20:
     if not n49(v40, s, d + 3): return False
   elif not (type(v20) is dict or type(v20) is str or v20 is None): return reject(v20)
  if n66 in v5:
   v20 = v5[n66]
   if not (type(v20) is str or v20 is None): return reject(v20)
  if n67 in v5:
   v20 = v5[n67]
   if not (type(v20) is dict): return reject(v20)
  if len(v5) < n69: return False
 if n79 in v:
  v5 = v[n79]
  if not (type(v5) is dict): return reject(v5)
  if n72 in v5:
   v46 = v5[n72]
   if not (type(v46) is int or type(v46) is float and v46.is_integer()): return reject(v46)
   if v46 < n71: return False
  if n74 in v5:
   v46 = v5[n74]
   if not (type(v46) is int or type(v46) is float and v46.is_integer()): return reject(v46)
   if v46 < n73: return False
  if n77 in v5:
   v46 = v5[n77]
   if not (type(v46) is list): return reject(v46)
   if len(v46) < n75: return False
   if not are_unique(v46): return False
   for v47 in v46:
    if type(v47) is not str: return reject(v47)
    if v47 not in n76: return False
  if not v5.keys() <= n78: return False
 if n81 in v:
  v5 = v[n81]
  if not n80(v5, s, d + 1): return False
 if n83 in v:
  v5 = v[n83]
  if not (type(v5) is list): return reject(v5)
  for v49 in v5:
   if not n82(v49, s, d + 2): return False
 for v50, v51 in v.items():
  v52 = v50 in n84
  if n85(v50):
   v52 = True
  if not v52:
   return False
 v54 = n86(v, s, d + 0)
 if v54:
  if type(v) is dict:
   if n88 in v:
    v56 = v[n88]
    if n87(v56, s, d + 1): return False
  elif not (type(v) in plain_types): return reject(v)
 v61 = n90(v, s, d + 0)
 if v61:
  if type(v) is dict:
   try:
    v62 = v[n91]
   except KeyError: return False
  elif not (type(v) in plain_types): return reject(v)
 return True
def n23(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is str): return reject(v)
 if len(v) > n93: return False
 if not n94(v): return False
 return True
def n37(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v1, v2 in v.items():
  if v1 in n135 and not functions[n135[v1]](v2, s, d + 1): return False
 for v3, v4 in v.items():
  v5 = v3 in n136
  if n137(v3):
   v5 = True
  if not v5:
   return False
 return True
def n44(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 if n138 in v:
  v2 = v[n138]
  if not n23(v2, s, d + 1): return False
 if n140 in v:
  v2 = v[n140]
  if type(v2) is not str: return reject(v2)
  if v2 not in n139: return False
 if n142 in v:
  v2 = v[n142]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n141: return False
 if n144 in v:
  v2 = v[n144]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n143: return False
 if n146 in v:
  v2 = v[n146]
  if not (n97(v2, s, d + 1) or n145(v2, s, d + 1)): return False
 if n148 in v:
  v2 = v[n148]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n147: return False
 if n151 in v:
  v2 = v[n151]
  if not (type(v2) is list): return reject(v2)
  if len(v2) < n149: return False
  for v3 in v2:
   if not n150(v3, s, d + 2): return False
 if n152 in v:
  v2 = v[n152]
  if not (type(v2) is int or type(v2) is float and v2.is_integer()): return reject(v2)
 if n154 in v:
  v2 = v[n154]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n153: return False
 for v4, v5 in v.items():
  v6 = v4 in n155
  if n156(v4):
   v6 = True
  if not v6:
   return False
 v8 = n157(v, s, d + 0)
 if v8:
  if type(v) is dict:
   if n159 in v:
    v10 = v[n159]
    if n158(v10, s, d + 1): return False
   if n161 in v:
    v10 = v[n161]
    if n160(v10, s, d + 1): return False
   if n163 in v:
    v10 = v[n163]
    if n162(v10, s, d + 1): return False
   if n165 in v:
    v10 = v[n165]
    if n164(v10, s, d + 1): return False
   if n167 in v:
    v10 = v[n167]
    if n166(v10, s, d + 1): return False
  elif not (type(v) in plain_types): return reject(v)
 if not v8:
  if type(v) is dict:
   try:
    v15 = v[n169]
   except KeyError: return False
  elif not (type(v) in plain_types): return reject(v)
  v22 = n171(v, s, d + 0)
  if v22:
   if type(v) is dict:
    try:
     v23 = v[n172]
    except KeyError: return False
   elif not (type(v) in plain_types): return reject(v)
 return True
def n49(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n174]
  except KeyError: return False
  if not (type(v1) is str): return reject(v1)
 elif not (type(v) is str): return reject(v)
 return True
def n80(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 if n178 in v:
  v2 = v[n178]
  if not (n176(v2, s, d + 1) or n177(v2, s, d + 1)): return False
 if n182 in v:
  v2 = v[n182]
  if not (type(v2) is dict): return reject(v2)
  for v5, v6 in v2.items():
   v7 = v5 in n179
   if not v7:
    if not n180(v6, s, d + 2): return False
  for v8 in v2:
   if type(v8) is str:
    if not n181(v8): return False
   elif not (type(v8) in plain_types): return reject(v8)
 if n184 in v:
  v2 = v[n184]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n183: return False
 if n187 in v:
  v2 = v[n187]
  if not (type(v2) is list): return reject(v2)
  for v9 in v2:
   if not n186(v9, s, d + 2): return False
 if n189 in v:
  v2 = v[n189]
  if not (type(v2) is list): return reject(v2)
  if not are_unique(v2): return False
  for v10 in v2:
   if not (type(v10) is str): return reject(v10)
   if v10 not in n188: return False
 if n191 in v:
  v2 = v[n191]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n190: return False
 for v11, v12 in v.items():
  v13 = v11 in n192
  if n193(v11):
   v13 = True
  if not v13:
   return False
 return True
def n82(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n194]
 except KeyError: return False
 if not (type(v1) is str): return reject(v1)
 if len(v1) < n195: return False
 if n196 in v:
  v3 = v[n196]
  if not (type(v3) is dict): return reject(v3)
 if n207 in v:
  v3 = v[n207]
  if not (type(v3) is dict): return reject(v3)
  if n197 in v3:
   v5 = v3[n197]
   if not (type(v5) is list): return reject(v5)
   for v6 in v5:
    if not (type(v6) is str): return reject(v6)
  if n198 in v3:
   v5 = v3[n198]
   if not (type(v5) is list): return reject(v5)
   for v7 in v5:
    if not (type(v7) is str): return reject(v7)
  if n200 in v3:
   v5 = v3[n200]
   if not (type(v5) is list): return reject(v5)
   for v8 in v5:
    if type(v8) is not str: return reject(v8)
    if v8 not in n199: return False
  if n202 in v3:
   v5 = v3[n202]
   if not (type(v5) is int or type(v5) is float and v5.is_integer()): return reject(v5)
   if v5 < n201: return False
  if n203 in v3:
   v5 = v3[n203]
   if not (type(v5) is bool): return reject(v5)
  if n205 in v3:
   v5 = v3[n205]
   if not (type(v5) is list): return reject(v5)
   if len(v5) < n204: return False
   for v9 in v5:
    if not (type(v9) is str): return reject(v9)
  if not v3.keys() <= n206: return False
 if n208 in v:
  v3 = v[n208]
  if not (type(v3) is str or type(v3) is dict): return reject(v3)
 if n211 in v:
  v3 = v[n211]
  if not (n209(v3, s, d + 1) or n210(v3, s, d + 1)): return False
 for v11, v12 in v.items():
  v13 = v11 in n212
  if n213(v11):
   v13 = True
  if not v13:
   return False
 if n215 in v and not v.keys() >= n214: return False
 return True
def n86(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n216]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n87(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n90(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if n218(v, s, d + 0): return False
 return True
def n95(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is str): return reject(v)
 if len(v) < n219: return False
 return True
def n96(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n220
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n97(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is str): return reject(v)
 return True
def n98(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (n222(v, s, d + 0) or n223(v, s, d + 0)): return False
 return True
def n99(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n224: return False
 return True
def n100(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n101(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n102(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 return True
def n103(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is bool): return reject(v)
 return True
def n104(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n225: return False
 return True
def n105(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n226: return False
 return True
def n106(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n107(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float): return reject(v)
 return True
def n108(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float): return reject(v)
 if v <= n227: return False
 return True
def n109(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n110(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n228: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n111(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n112(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n229: return False
 return True
def n113(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n230: return False
 return True
def n114(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n231: return False
 return True
def n115(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n232: return False
 return True
def n116(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n117(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n233
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n118(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n234
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n119(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n120(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n121(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n122(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if not are_unique(v): return False
 for v1 in v:
  if not (type(v1) is str): return reject(v1)
 return True
def n123(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n235: return False
 return True
def n124(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n236: return False
 return True
def n125(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n237
  if not v5:
   if not (type(v4) is list): return reject(v4)
   for v6 in v4:
    if not (type(v6) is str): return reject(v6)
 return True
def n126(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n238
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n127(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n239: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n128(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n240: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n129(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n241: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n130(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n131(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n132(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n133(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n134(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is not str: return reject(v)
 if v not in n242: return False
 return True
def n145(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n243: return False
 for v1 in v:
  if not n244(v1, s, d + 1): return False
 return True
def n150(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n245]
  v2 = v[n247]
  v3 = v[n249]
 except KeyError: return False
 if not (type(v1) is str): return reject(v1)
 if len(v1) < n246: return False
 if not (type(v2) is str): return reject(v2)
 if len(v2) < n248: return False
 if not (type(v3) is str or type(v3) is dict): return reject(v3)
 if not v.keys() <= n250: return False
 return True
def n157(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n251]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n158(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n160(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n162(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n164(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n166(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n171(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if n253(v, s, d + 0): return False
 return True
def n176(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is str): return reject(v)
 if len(v) < n254: return False
 return True
def n177(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n255]
 except KeyError: return False
 if not (type(v1) is str): return reject(v1)
 if len(v1) < n256: return False
 if not v.keys() <= n257: return False
 return True
def n180(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 if n258 in v:
  v2 = v[n258]
  if not (type(v2) is str): return reject(v2)
 if n259 in v:
  v2 = v[n259]
  if not n221(v2, s, d + 1): return False
 if n260 in v:
  v2 = v[n260]
  if not (type(v2) is dict): return reject(v2)
 for v3, v4 in v.items():
  v5 = v3 in n261
  if n262(v3):
   v5 = True
  if not v5:
   return False
 return True
def n186(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n263]
  v2 = v[n264]
  v3 = v[n266]
 except KeyError: return False
 if not n23(v1, s, d + 1): return False
 if not (type(v2) is str): return reject(v2)
 if len(v2) < n265: return False
 if not (type(v3) is str): return reject(v3)
 if len(v3) < n267: return False
 if n269 in v:
  v5 = v[n269]
  if not (type(v5) is str): return reject(v5)
  if len(v5) < n268: return False
 if n271 in v:
  v5 = v[n271]
  if not (type(v5) is str): return reject(v5)
  if not n270(v5): return False
 for v6, v7 in v.items():
  v8 = v6 in n272
  if n273(v6):
   v8 = True
  if not v8:
   return False
 return True
def n209(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is not str: return reject(v)
 if v not in n274: return False
 return True
def n210(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 try:
  v1 = v[n275]
 except KeyError: return False
 if not (type(v1) is list): return reject(v1)
 if len(v1) < n276: return False
 for v2 in v1:
  if not (type(v2) is dict): return reject(v2)
  if n278 in v2:
   v4 = v2[n278]
   if not (type(v4) is str): return reject(v4)
   if not n277(v4): return False
  if n279 in v2:
   v4 = v2[n279]
   if not (type(v4) is str): return reject(v4)
  if n280 in v2:
   v4 = v2[n280]
   if not (type(v4) is str): return reject(v4)
  if not v2.keys() <= n281: return False
  if len(v2) < n282: return False
 if not v.keys() <= n283: return False
 return True
def n218(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (n284(v, s, d + 0) or n285(v, s, d + 0) or n286(v, s, d + 0)): return False
 return True
def n221(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  for v1, v2 in v.items():
   if v1 in n323 and not functions[n323[v1]](v2, s, d + 1): return False
  for v3, v4 in v.items():
   v5 = v3 in n324
   if n325(v3):
    v5 = True
   if not v5:
    return False
 elif not (type(v) is bool): return reject(v)
 return True
def n222(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n326(v, s, d + 0): return False
 return True
def n223(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n327: return False
 if not are_unique(v): return False
 for v1 in v:
  if not n326(v1, s, d + 1): return False
 return True
def n244(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 if n328 in v:
  v2 = v[n328]
  if not (type(v2) is str): return reject(v2)
 if n330 in v:
  v2 = v[n330]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n329: return False
 if n332 in v:
  v2 = v[n332]
  if type(v2) is not str: return reject(v2)
  if v2 not in n331: return False
 if n334 in v:
  v2 = v[n334]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n333: return False
 if n335 in v:
  v2 = v[n335]
  if not (type(v2) is str): return reject(v2)
 if n337 in v:
  v2 = v[n337]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n336: return False
 if n338 in v:
  v2 = v[n338]
  if not (type(v2) is str): return reject(v2)
 if n340 in v:
  v2 = v[n340]
  if not (type(v2) is str): return reject(v2)
  if len(v2) < n339: return False
 for v3, v4 in v.items():
  v5 = v3 in n341
  if n342(v3):
   v5 = True
  if not v5:
   return False
 v7 = 0
 v7 += n343(v, s, d + 0)
 v7 += n344(v, s, d + 0)
 v7 += n345(v, s, d + 0)
 v7 += n346(v, s, d + 0)
 if v7 != 1: return False
 return True
def n253(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n347]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n284(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n349]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n285(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n351]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n286(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n353]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n287(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is str): return reject(v)
 if len(v) < n355: return False
 return True
def n288(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n356
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n289(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is not str: return reject(v)
 if v not in n357: return False
 return True
def n290(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (n358(v, s, d + 0) or n359(v, s, d + 0)): return False
 return True
def n291(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n360: return False
 return True
def n292(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n293(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 return True
def n294(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n361: return False
 return True
def n295(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n362: return False
 return True
def n296(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n297(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float): return reject(v)
 if v <= n363: return False
 return True
def n298(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n299(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n364: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n300(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n301(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n365: return False
 return True
def n302(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n366: return False
 return True
def n303(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n367: return False
 return True
def n304(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n368: return False
 return True
def n305(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n306(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n369
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n307(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n370
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n308(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n309(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n310(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n311(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if not are_unique(v): return False
 for v1 in v:
  if not (type(v1) is str): return reject(v1)
 return True
def n312(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n371: return False
 return True
def n313(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is int or type(v) is float and v.is_integer()): return reject(v)
 if v < n372: return False
 return True
def n314(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n373
  if not v5:
   if not (type(v4) is list): return reject(v4)
   for v6 in v4:
    if not (type(v6) is str): return reject(v6)
 return True
def n315(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is dict): return reject(v)
 for v3, v4 in v.items():
  v5 = v3 in n374
  if not v5:
   if not n221(v4, s, d + 1): return False
 return True
def n316(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n375: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n317(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n376: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n318(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n377: return False
 for v1 in v:
  if not n221(v1, s, d + 1): return False
 return True
def n319(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n320(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n321(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n322(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n221(v, s, d + 0): return False
 return True
def n326(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is not str: return reject(v)
 if v not in n378: return False
 return True
def n343(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n379]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n344(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n381]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n345(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n383]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n346(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if type(v) is dict:
  try:
   v1 = v[n385]
  except KeyError: return False
 elif not (type(v) in plain_types): return reject(v)
 return True
def n358(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not n326(v, s, d + 0): return False
 return True
def n359(v, s, d):
 s[0] -= 1
 if s[0] < 0 or d > max_depth: stop()
 if not (type(v) is list): return reject(v)
 if len(v) < n387: return False
 if not are_unique(v): return False
 for v1 in v:
  if not n326(v1, s, d + 1): return False
 return True


TESTS = {
    '#': test,
    '#/$defs/name': n23,
    '#/$defs/input': n37,
    '#/$defs/message': n44,
    '#/$defs/slotPart': n49,
    '#/$defs/reply': n80,
    '#/$defs/test': n82,
    '#/$defs/toolCall': n150,
    '#/$defs/action': n180,
    '#/$defs/rule': n186,
    '#/$defs/schema': n221,
    '#/$defs/part': n244,
    '#/$defs/kind': n326,
}
