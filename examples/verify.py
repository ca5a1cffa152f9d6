#!/usr/bin/env python3
"""Check a garcia ledger without garcia: signatures, chain, links, dice, openings.

    python3 verify.py GAME-FOLDER          the folder, or its `ledger`
    python3 verify.py MAIL.txt …           armoured records in any text; `-` reads standard input
    python3 verify.py --json FOLDER

Python's standard library only, and nothing taken from garcia: whoever reads these pages need not trust that program to
trust his dice. It checks the levels L1 (records) and L2 (dice) of the protocol garcia/1 and the openings at the audit;
the rules of the games are not judged here.

Exit codes: 1 a divergence, and whose key signed it; 2 a divergence that is nobody's fault; 4 records and dice good, rules
not judged (as good as it gets here); 64 usage.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import re
import struct
import sys

# --- dice: two hashes and a ChaCha20 block -----------------------------------------------------------------------------


def H(tag, *lines):
    text = "garcia/1/" + tag + "\n" + "".join(line + "\n" for line in lines)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def chacha20_block(key, counter):
    def rot(v, n):
        return ((v << n) | (v >> (32 - n))) & 0xFFFFFFFF

    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<QQ", counter, 0)))
    s = start[:]

    def quarter(a, b, c, d):
        for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            s[z] = rot(s[z] ^ s[x], n)

    for _ in range(10):
        for q in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15)):
            quarter(*q)
        for q in ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(*q)
    return struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(s, start)))


def roll(seed, label, sides):
    key = bytes.fromhex(H("roll", seed, label))
    stream = (byte for n in range(1 << 32) for byte in chacha20_block(key, n))
    return [next(b % s + 1 for b in stream if b < 256 - 256 % s) for s in sides]


# --- canonical JSON, the one YAML style, armour --------------------------------------------------------------------------


class Bad(Exception):
    """Not a record."""


KEY = re.compile(r"[a-z0-9_./-]{1,64}\Z")
LIMIT = 2**53 - 1


def check_value(value, depth=0):
    if depth > 32:
        raise Bad("nested deeper than 32")
    if value is True or value is False:
        return
    if type(value) is int:
        if abs(value) > LIMIT:
            raise Bad("a number out of range")
    elif type(value) is str:
        if any(ord(c) < 0x20 or ord(c) == 0x7F or 0xD800 <= ord(c) <= 0xDFFF for c in value):
            raise Bad("a control character")
    elif type(value) is list:
        for item in value:
            check_value(item, depth + 1)
    elif type(value) is dict:
        for key, item in value.items():
            if not KEY.match(key):
                raise Bad("a key that is not allowed")
            check_value(item, depth + 1)
    else:
        raise Bad("neither text, number, truth value, list nor object")


def canon(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def parse_json(data):
    try:
        text = data.decode("utf-8")
        value = json.loads(text)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise Bad("not JSON: %s" % error)
    check_value(value)
    if canon(value) != text:
        raise Bad("not in canonical form")
    return value


PLAIN = r"[A-Za-z][A-Za-z0-9._/-]*(?: [A-Za-z0-9._/-]+)*"
QUOTED = r'"(?:[^"\\]|\\["\\])*"'
ENTRY = re.compile(r"(%s|%s):(?: (.*))?\Z" % (PLAIN, QUOTED))
NUMBER = re.compile(r"(?:0|-?[1-9][0-9]*)\Z")


def yaml_scalar(text):
    if text in ("true", "false"):
        return text == "true"
    if NUMBER.match(text) and len(text) < 20:
        return int(text)
    if re.fullmatch(PLAIN, text):
        return text
    if re.fullmatch(QUOTED, text):
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    if text == "[]":
        return []
    if text == "{}":
        return {}
    if text.startswith("[") and text.endswith("]") and all(NUMBER.match(n) for n in text[1:-1].split(", ")):
        return [int(n) for n in text[1:-1].split(", ")]
    raise Bad("not in the style garcia writes: %s" % ascii(text[:40]))


class Yaml:
    """Reads the one style garcia writes; any other YAML is somebody's own rendering."""

    def __init__(self, text):
        lines = text.replace("\r\n", "\n").split("\n")
        while lines and (lines[0].startswith("#") or not lines[0].strip()):
            lines.pop(0)
        while lines and not lines[-1].strip():
            lines.pop()
        self.lines, self.at = lines, 0

    def document(self):
        value = self.block(0, 0)
        if self.at != len(self.lines):
            raise Bad("something stands after the end of the document")
        return value

    def line(self, indent):
        """What stands on the line in hand at this depth; nothing if it belongs to another."""
        if self.at >= len(self.lines):
            return None
        line = self.lines[self.at]
        blanks = len(line) - len(line.lstrip(" "))
        return line[indent:] if blanks == indent else None

    def block(self, indent, depth):
        if depth > 34:
            raise Bad("nested deeper than 32")
        first = self.line(indent)
        if first is None:
            raise Bad("a line is not indented as it should be")
        return self.items(indent, depth) if first.startswith("- ") else self.members(indent, depth)

    def items(self, indent, depth):
        found = []
        while (line := self.line(indent)) is not None and line.startswith("- "):
            rest = line[2:]
            if rest.startswith("- ") or ENTRY.match(rest):
                self.lines[self.at] = " " * (indent + 2) + rest
                found.append(self.block(indent + 2, depth + 1))
            else:
                found.append(yaml_scalar(rest))
                self.at += 1
        return found

    def members(self, indent, depth):
        found = {}
        while (line := self.line(indent)) is not None:
            entry = ENTRY.match(line)
            if not entry:
                raise Bad("not in the style garcia writes: %s" % ascii(line[:40]))
            name = entry[1]
            key = name if not name.startswith('"') else re.sub(r"\\(.)", r"\1", name[1:-1])
            if key in found:
                raise Bad("a key stands twice")
            self.at += 1
            found[key] = yaml_scalar(entry[2]) if entry[2] is not None else self.block(indent + 2, depth + 1)
        if not found:
            raise Bad("an empty block")
        return found


def parse_record(data):
    if len(data) > 1 << 20:
        raise Bad("longer than 1 MiB")
    if data.startswith(b"{"):
        value = parse_json(data[:-1] if data.endswith(b"\n") else data)
    else:
        try:
            value = Yaml(data.decode("utf-8")).document()
        except UnicodeDecodeError:
            raise Bad("not UTF-8")
        check_value(value)
    return header(value)


BEGIN, END = "BEGIN GARCIA RECORD", "END GARCIA RECORD"


def armoured(text):
    """The records in a text, in order: bytes, or None for a damaged one."""
    found = []
    for part in text.split(BEGIN)[1:]:
        inside, end, tail = part.partition(END)
        digits = re.sub(r"[^A-Za-z0-9+/]", "", inside)
        try:
            data = base64.b64decode(digits + "=" * (-len(digits) % 4))
        except (binascii.Error, ValueError):
            data = b""
        wanted = re.search(r"[0-9a-f]{16}", tail)
        good = end and wanted and hashlib.sha256(data).hexdigest()[:16] == wanted[0]
        found.append(data if good else None)
    return found


# --- Ed25519 (RFC 8032), strict -----------------------------------------------------------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)


def add(a, b):
    x1, y1, z1, t1 = a
    x2, y2, z2, t2 = b
    e, f = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    g, h = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    return ((f - e) * (h - g) % P, (h + g) * (f + e) % P, (h - g) * (h + g) % P, (f - e) * (f + e) % P)


def times(n, point):
    total = NEUTRAL
    while n:
        if n & 1:
            total = add(total, point)
        point = add(point, point)
        n >>= 1
    return total


def decode(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def same(a, b):
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def sound(key):
    point = decode(bytes.fromhex(key))
    return point is not None and not same(times(8, point), NEUTRAL)


def signed_by(key, record_id, sig):
    key, sig = bytes.fromhex(key), bytes.fromhex(sig)
    a, r, s = decode(key), decode(sig[:32]), int.from_bytes(sig[32:], "little")
    if a is None or r is None or s >= ORDER:
        return False
    if same(times(8, a), NEUTRAL) or same(times(8, r), NEUTRAL):
        return False
    message = ("garcia/1/sign\n" + record_id + "\n").encode()
    k = int.from_bytes(hashlib.sha512(sig[:32] + key + message).digest(), "little") % ORDER
    return same(times(s, BASE), add(r, times(k, a)))


# --- what a record must look like -----------------------------------------------------------------------------------------

ROLE = re.compile(r"[a-z][a-z0-9-]{0,15}\Z")
LABEL = re.compile(r"[a-z0-9._/-]{1,96}\Z")
SLOT = re.compile(r"[a-z0-9_./-]{1,56}\Z")
HEX = re.compile(r"[0-9a-f]{64}\Z")
SIG = re.compile(r"[0-9a-f]{128}\Z")
WORD = re.compile(r"[a-z0-9-]{1,32}\Z")


def text(pattern):
    return lambda v: type(v) is str and bool(pattern.match(v))


def many(check):
    return lambda v: type(v) is list and all(check(item) for item in v)


def count(v):
    return type(v) is int and 0 <= v < 2**32


def anything(_):
    return True


def string(v):
    return type(v) is str


def note(v):
    return string(v) and len(v) <= 2000


def truth(v):
    return type(v) is bool


def mapping(check):
    return lambda v: type(v) is dict and all(check(item) for item in v.values())


def shape(required, optional=None):
    def fits(value):
        if type(value) is not dict or any(name not in value for name in required):
            return False
        known = dict(optional or {}, **required)
        return all(name in known and known[name](item) for name, item in value.items())

    return fits


def a_roll(value):
    die = lambda s: type(s) is int and 1 <= s <= 256
    public = shape({"label": text(LABEL), "sides": many(die), "faces": many(count)})
    secret = shape({"label": text(LABEL), "sides": many(die), "secret": text(SLOT), "by": text(ROLE)})
    return public(value) or secret(value)


hide = shape({"slot": text(SLOT), "version": count, "commit": text(HEX)})
reveal = shape({"slot": text(SLOT), "version": count, "salt": text(HEX), "value": anything}, {"by": text(ROLE)})
claim = shape({"claim": text(LABEL), "value": anything})
answer = shape({"key": text(LABEL), "choice": anything})
stop = shape(
    {"ask": text(WORD)},
    {
        "who": text(ROLE),
        "questions": many(shape({"key": text(LABEL), "kind": string})),
        "slots": many(text(SLOT)),
        "claims": many(text(LABEL)),
    },
)
said = {"hide": many(hide), "reveals": many(reveal), "claims": many(claim), "answers": many(answer)}
SHAPES = {
    "genesis": shape(
        {
            "mode": lambda v: v in ("two-player", "gm", "solo"),
            "ruleset": string,
            "rules_sha256": text(HEX),
            "engine": string,
            "key": text(HEX),
            "anchor": text(HEX),
            "links": count,
        },
        {
            "scenario": string,
            "options": mapping(string),
            "opponent": text(ROLE),
            "players": many(text(ROLE)),
            "director": text(HEX),
            "recovery": text(HEX),
            "max_asks": count,
            "private": lambda v: v is True,
            "note": string,
        },
    ),
    "join": shape({"accept": text(HEX), "key": text(HEX)}, {"anchor": text(HEX), "recovery": text(HEX), "hide": many(hide)}),
    "plan": shape({"state": text(HEX)}, dict(said, note=note, orders=anything, entries=lambda v: count(v) or many(truth)(v))),
    "orders": shape(
        {"nonce": text(HEX), "state": text(HEX)},
        dict(
            said,
            orders=anything,
            policies=mapping(anything),
            standing=mapping(anything),
            nmr=truth,
            file_sha256=text(HEX),
            note=note,
            **{"for": text(ROLE)},
        ),
    ),
    "result": shape(
        {
            "orders": text(HEX),
            "index": count,
            "link": text(HEX),
            "rolls": many(a_roll),
            "reveals": many(reveal),
            "state": text(HEX),
            "stop": stop,
        },
        {"claims": many(claim), "hide": many(hide), "for": text(ROLE), "notice": anything},
    ),
    "audit": shape(
        {
            "hide_secret": text(HEX),
            "values": mapping(anything),
            "secret_rolls": many(shape({"label": text(LABEL), "faces": many(count)})),
        },
        {"earlier": many(text(HEX))},
    ),
    "motion": lambda v: type(v) is dict and v.get("what") in MOTIONS and MOTIONS[v["what"]](v),
    "accept": shape({"motion": text(HEX)}, {"hide": many(hide), "note": string}),
    "decline": shape({"motion": text(HEX)}, {"for": text(ROLE), "notice": anything, "note": string}),
}
verdict = lambda v: type(v) is dict and len(v) == 1 and (
    text(ROLE)(v.get("resigns")) or text(ROLE)(v.get("winner")) or v.get("drawn") is True
)
director = lambda v: v == "director"


def motion(required, optional):
    return shape(dict(required, what=string), dict(optional, note=string))


MOTIONS = {
    "void": motion({"back_to": count}, {"hide": many(hide)}),
    "ruling": motion(
        {"about": count, "clause": string, "finding": string, "patch": mapping(anything), "state": text(HEX)},
        {"reveals": many(reveal), "to": director},
    ),
    "upgrade": motion(
        {"engine": string, "rules_sha256": text(HEX), "position": anything, "state": text(HEX)},
        {"kept": many(shape({"by": text(ROLE), "slot": string, "value": anything}))},
    ),
    "reanchor": motion({"anchor": text(HEX)}, {"lost": lambda v: v is True, "hide": many(hide)}),
    "rekey": motion(
        {"role": text(ROLE), "key": text(HEX), "proof": text(SIG)},
        {
            "anchor": text(HEX),
            "hide": many(hide),
            "recovery": text(HEX),
            "lost": lambda v: v is True,
            "for": text(ROLE),
            "notice": anything,
        },
    ),
    "end": motion({"verdict": verdict}, {"to": director}),
}
NOTICE = shape(
    {
        "body": shape(
            {
                "by": text(ROLE),
                "data": shape({"record": text(HEX), "owes": text(ROLE), "what": string}),
                "game": text(HEX),
                "kind": lambda v: v == "notice",
                "v": lambda v: v == "garcia/1",
            }
        ),
        "sig": text(SIG),
    }
)


def header(value):
    body_shape = shape(
        {
            "by": text(ROLE),
            "data": lambda v: type(v) is dict,
            "kind": text(re.compile(r"[a-z]{1,16}\Z")),
            "prev": text(HEX),
            "seq": count,
            "v": lambda v: v == "garcia/1",
        },
        {"game": text(HEX)},
    )
    if not shape({"body": body_shape, "sig": text(SIG)})(value):
        raise Bad("the header is not that of a record")
    if value["body"]["seq"] == 0 and "game" in value["body"]:
        raise Bad("record 0 cannot name its own game")
    return value


class Finding(Exception):
    def __init__(self, code, fault, what, label=None, recorded=None, recomputed=None, sides=None):
        super().__init__(what)
        self.code, self.fault, self.what = code, fault, what
        self.label, self.recorded, self.recomputed, self.sides = label, recorded, recomputed, sides


# --- the walk ------------------------------------------------------------------------------------------------------------


def ends_span(stop):
    return stop["ask"] not in ("answers", "facts")


def in_state(slot):
    return not slot.startswith(("standing/", "ticket/", "plan/", "orders/", "report/"))


class Walk:
    def __init__(self):
        self.game = self.genesis = self.state = self.stop = self.span = self.pending = None
        self.seats, self.roles, self.next, self.head = {}, [], 0, "0" * 64
        self.sealed, self.opened, self.audits, self.secret, self.absent = {}, {}, {}, [], []
        self.spent, self.asked = {}, set()
        self.rolls, self.notes = 0, []
        # Motions: where one may go back to, what was moved and waits, what was refused, what is void.
        self.edges, self.table, self.refused, self.floor, self.void, self.dropped = [], None, set(), 0, [], set()
        self.published, self.keys, self.eras, self.moved = set(), set(), {}, []

    def copy(self):
        other = Walk()
        other.__dict__.update(self.__dict__)
        other.seats = {role: dict(seat) for role, seat in self.seats.items()}
        other.roles, other.secret, other.absent = self.roles[:], self.secret[:], self.absent[:]
        other.spent, other.asked = dict(self.spent), set(self.asked)
        other.sealed = {slot: versions[:] for slot, versions in self.sealed.items()}
        other.opened, other.audits = dict(self.opened), dict(self.audits)
        other.span = dict(self.span) if self.span else None
        other.edges, other.refused, other.void, other.dropped = self.edges[:], set(self.refused), self.void[:], set(self.dropped)
        other.published, other.keys, other.moved = set(self.published), set(self.keys), self.moved[:]
        other.eras = {role: eras[:] for role, eras in self.eras.items()}
        return other

    def span_is_over(self):
        return self.pending is None and (self.stop is None or ends_span(self.stop))

    def other(self, role):
        return next((other for other in self.roles if other != role), None)

    def due(self):
        """(kind of record due, role or None, roles that owe an audit)."""
        if not self.genesis:
            return ("genesis", None)
        expected = [self.genesis["opponent"]] if "opponent" in self.genesis else self.genesis.get("players", [])
        for role in expected:
            if role not in self.seats:
                return ("join", role)
        if self.table:
            return ("answer", self.table["asked"])
        if self.pending == "orders":
            return ("result", self.span["closer"])
        if self.pending == "plan":
            return ("call", self.other(self.span["closer"]))
        if self.stop and self.stop["ask"] == "end":
            owing = self.owing()
            return ("audit", owing[0]) if owing else ("nothing", None)
        return ("speech", self.stop.get("who") if self.stop else None)

    def owing(self):
        return [r for r in self.roles if any(k[0] == r for k in self.sealed) and r not in self.audits]

    def owed(self):
        """(what, role) that somebody owes; orders and answers are not owed."""
        due, role = self.due()
        if due == "speech" and self.stop and self.stop["ask"] == "facts":
            return "facts", role
        return (due, role) if due in ("join", "call", "result", "answer", "audit") else None

    def check_signature(self, record):
        body = record["body"]
        due, role = self.due()
        newcomer = (due, body["kind"]) == ("genesis", "genesis") or (
            (due, body["kind"]) == ("join", "join") and role == body["by"]
        )
        if newcomer:
            key = body["data"].get("key")
            if not text(HEX)(key):
                raise Finding("E02-CANON", None, "`key` has to be 64 hexadecimal digits")
        elif body["by"] in self.seats:
            key = self.seats[body["by"]]["key"]
        else:
            raise Finding("E03-SIG", None, "%s has no key in this game" % body["by"])
        rid, own = H("record", canon(body)), self.rekeys(body) == body["by"]
        recovery = self.seats.get(body["by"], {}).get("recovery")
        if signed_by(key, rid, record["sig"]):
            if own and recovery and "recovery" in body["data"]:
                raise Finding("E14-SCHEMA", body["by"], "`recovery` changes under its own signature only")
            return
        if not (own and recovery and signed_by(recovery, rid, record["sig"])):
            raise Finding("E03-SIG", None, "the signature does not fit: damaged or forged")

    def rekeys(self, body):
        """The role that a record gives a new key, if it does."""
        data = body["data"]
        return data.get("role") if body["kind"] == "motion" and data.get("what") == "rekey" else None

    def stands_in(self, body, role):
        return body["by"] == "director" and body["data"].get("for") == role and "director" in self.seats

    def is_due(self, role):
        due, who = self.due()
        if due == "speech":
            pen = self.genesis["mode"] != "two-player" and role == self.roles[0]
            return role in self.roles if who is None else who == role or pen
        return role in self.owing() if due == "audit" else due in ("call", "result", "answer") and who == role

    def at_edge(self):
        return self.span_is_over() and self.table is None and self.due()[0] == "speech"

    def may_move(self, body):
        by, data, mode = body["by"], body["data"], self.genesis["mode"]
        lost = data.get("lost") is True
        if lost and self.table:
            return False
        role = self.rekeys(body)
        if data.get("what") == "rekey":
            if not text(ROLE)(role):
                return True
            vouched = (by == "gm" and mode == "gm" and role != by) or self.stands_in(body, role)
            return self.is_due(role) and (by == role or vouched)
        if lost:
            return self.is_due(by)
        return (self.is_due(by) if mode == "two-player" else by == self.roles[0]) and self.at_edge()

    def check_due(self, body):
        by, kind, mode = body["by"], body["kind"], self.genesis["mode"] if self.genesis else None
        due, role = self.due()
        mine = role is None or role == by
        over = self.span_is_over()
        closes = not over and self.span["closer"] == by
        if kind == "plan":
            fits = due == "speech" and mode == "two-player" and mine and (over or closes)
        elif kind == "orders" and due == "speech":
            fits = mode == "solo" or (mode == "gm" and (by == "gm" or mine)) or (mode == "two-player" and mine and not closes)
        elif kind == "orders":
            fits = due == "call" and role == by
        elif kind == "audit":
            toy = self.genesis and self.genesis["ruleset"] == "toy"
            fits = (due == "audit" and by in self.owing()) or (toy and due == "speech" and over and by not in self.audits)
        elif kind == "motion":
            fits = due not in ("genesis", "join") and self.may_move(body)
        elif kind in ("accept", "decline"):
            fits = due == "answer" and (role == by or kind == "decline" and self.stands_in(body, role))
        elif kind == "result":
            fits = due == "result" and (role == by or self.stands_in(body, role))
        else:
            fits = kind == due and (kind == "genesis" or role == by)
        if not fits:
            raise Finding("E13-KIND", by, "`%s` by %s is not due: %s of %s is" % (kind, by, due, role or "anybody"))

    def take(self, record):
        body = record["body"]
        by, kind, data = body["by"], body["kind"], body["data"]
        self.check_signature(record)
        if self.game and body.get("game") != self.game:
            raise Finding("E10-GAME", None, "a record of another game")
        if body["seq"] != self.next or body["prev"] != self.head:
            raise Finding("E11-PREV", None, "does not follow the record before it: one is missing or of another branch")
        self.check_due(body)
        schema = lambda what: Finding("E14-SCHEMA", by, what)
        if kind not in SHAPES or not SHAPES[kind](data):
            raise schema("the members of this record are not those of `%s`" % kind)
        for name, part in (("hide", "slot"), ("reveals", "slot"), ("claims", "claim"), ("answers", "key"), ("rolls", "label")):
            names = [(item[part], item.get("by"), item.get("version")) for item in data.get(name, [])]
            if len(set(names)) != len(names):
                raise schema("something stands twice under `%s`" % name)
        rid = H("record", canon(body))
        getattr(self, "take_" + kind)(body, data, rid, schema)
        self.next += 1
        self.head = rid
        joined = kind in ("genesis", "join", "result")
        if (joined or any(m["acts"] == body["seq"] for m in self.moved)) and self.at_edge():
            self.edges.append((body["seq"], self.state, self.stop))

    def new_key(self, by, key):
        if key in self.keys:
            raise Finding("E13-KIND", by, "key or anchor copied from another player")
        self.keys.add(key)

    def take_genesis(self, body, data, rid, schema):
        by, mode = body["by"], data["mode"]
        if not sound(data["key"]):
            raise schema("the key is no sound Ed25519 key")
        fits = {
            "two-player": "opponent" in data and "players" not in data and data.get("opponent") != by,
            "gm": by == "gm" and "opponent" not in data and "players" in data
            and by not in data["players"] and len(set(data["players"])) == len(data["players"]),
            "solo": by == "solo" and "opponent" not in data and "players" not in data,
        }[mode]
        if not fits:
            raise schema("the players named do not go with the mode")
        links = 8 if data["ruleset"] == "toy" else 4096
        if data["links"] != links:
            raise schema("every chain has %d links, so that nobody runs out of them" % links)
        if "private" in data and mode != "gm":
            raise schema("`private` goes with a game master, and with nobody else")
        if any(not sound(data[name]) for name in ("director", "recovery") if name in data):
            raise schema("the key is no sound Ed25519 key")
        if "director" in data and mode == "solo":
            raise schema("a solo game has nobody a director could stand beside")
        if "director" in [by, data.get("opponent")] + data.get("players", []):
            raise schema("`director` is no role that plays")
        self.game, self.genesis = rid, data
        for name in ("key", "recovery", "director"):
            if name in data:
                self.new_key(by, data[name])
        self.seats[by] = {"key": data["key"], "tip": data["anchor"], "used": 0, "recovery": data.get("recovery")}
        if "director" in data:
            self.seats["director"] = {"key": data["director"], "tip": None, "used": 0, "recovery": None}
        self.published.add(data["anchor"])
        self.roles.append(by)

    def take_join(self, body, data, rid, schema):
        by, two = body["by"], self.genesis["mode"] == "two-player"
        if not sound(data["key"]):
            raise schema("the key is no sound Ed25519 key")
        if data["accept"] != self.game:
            raise Finding("E13-KIND", by, "accepts another offer")
        if ("anchor" in data) != two:
            raise schema("an anchor belongs to a player who closes segments, and to no other")
        if "recovery" in data and not sound(data["recovery"]):
            raise schema("the key is no sound Ed25519 key")
        if two and data["anchor"] in self.published:
            raise Finding("E13-KIND", by, "key or anchor copied from another player")
        for name in ("key", "recovery"):
            if name in data:
                self.new_key(by, data[name])
        self.seal(body, data, True, schema)
        self.published.update([data["anchor"]] if two else [])
        self.seats[by] = {"key": data["key"], "tip": data.get("anchor"), "used": 0, "recovery": data.get("recovery")}
        self.roles.append(by)

    def seals_values(self):
        return self.genesis["mode"] == "two-player" or "private" in self.genesis

    def seal(self, body, data, at_edge, schema):
        by = self.rekeys(body) or body["by"]
        for item in data.get("hide", []):
            slot, version = item["slot"], item["version"]
            if not self.seals_values():
                raise schema("nothing is sealed in this mode")
            own, plans = "plan/%d/" % body["seq"], "orders" if self.genesis["mode"] == "gm" else "plan"
            if slot.startswith("plan/") and not (body["kind"] == plans and version == 1 and slot.startswith(own)):
                raise schema("%s is the name of an entry of another plan" % slot)
            if not at_edge and in_state(slot):
                raise schema("%s can be committed anew only where a span begins or ends" % slot)
            versions = self.sealed.setdefault((by, slot), [])
            if version != len(versions) + 1:
                raise schema("%s is committed as version %d, but %d is next" % (slot, version, len(versions) + 1))
            versions.append((item["commit"], body["seq"]))

    def in_force(self, role, slot):
        """(version, commitment) of a slot that counts for the segment in hand."""
        if self.span_is_over():
            span = segment = self.next
        else:
            span, segment = self.span["opened"], self.span["orders"][0] if self.span["orders"] else self.next
        versions = self.sealed.get((role, slot), [])
        for at in range(len(versions) - 1, -1, -1):
            commit, seq = versions[at]
            if seq in self.dropped or in_state(slot) and any(first <= seq <= last for first, last in self.void):
                continue
            at_once = slot.startswith("plan/") or slot.startswith("ticket/") and seq in self.asked
            if seq <= span if in_state(slot) else seq < segment + at_once:
                return at + 1, commit
        return None

    def open(self, body, data, schema):
        by = body["by"]
        for item in data.get("reveals", []):
            slot, version = item["slot"], item["version"]
            if not self.seals_values() or ("by" in item) != (by == "gm"):
                raise schema("opens what is not his: %s" % slot)
            wrong = lambda what: Finding("E50-REVEAL", by, what, label=slot)
            owner = item.get("by", data.get("for", by) if by == "director" else by)
            force = self.in_force(owner, slot)
            if force is None:
                raise wrong("opens what was not committed in time")
            if force[0] != version:
                raise wrong("opens another version than the one in force")
            made = H("hide", self.game, owner, slot, str(version), item["salt"], canon(item["value"]))
            if made != force[1]:
                raise wrong("the opening does not fit its commitment")
            self.opened.setdefault((owner, slot, version), item["value"])

    def check_state(self, by, state):
        if self.state is not None and state != self.state:
            raise Finding("E40-STATE", by, "was written for another state", recorded=state, recomputed=self.state)
        self.state = state

    def take_plan(self, body, data, rid, schema):
        by, opens = body["by"], self.span_is_over()
        self.check_state(by, data["state"])
        self.check_facts(body, data, schema)
        if not opens and ("orders" in data or "entries" in data):
            raise schema("answers or facts are due, not a packet")
        prefix, entries = "plan/%d/" % body["seq"], data.get("entries", [])
        if type(entries) is int and self.genesis["ruleset"] != "toy":
            raise schema("`entries` says of each sealed entry whether it is conditional")
        number = entries if type(entries) is int else len(entries)
        found = {item["slot"] for item in data.get("hide", []) if item["slot"].startswith(prefix)}
        if found != {prefix + str(k) for k in range(1, min(number, 100000) + 1)}:
            raise schema("the slots %s… do not fit the number of entries" % prefix)
        self.seal(body, data, opens, schema)
        if opens:
            self.span = {"opened": body["seq"], "closer": by, "side": by, "orders": None}
        self.pending = "plan"
        self.open(body, data, schema)

    def take_orders(self, body, data, rid, schema):
        by, mode = body["by"], self.genesis["mode"]
        call = self.due()[0] == "call"
        opens = not call and self.span_is_over()
        side = self.side(body, data, mode, schema)
        is_call = "orders" in data and canon(data["orders"]) == '{"call":true}'
        if is_call != call:
            raise schema("a plan is answered by a call, and nothing else is")
        if is_call and any(name in data for name in ("policies", "standing", "answers", "hide", "note")):
            raise schema("a call decides and commits nothing")
        if not call and not opens and "orders" in data:
            raise schema("answers or facts are due, not a packet")
        self.check_state(by, data["state"])
        if not call:
            self.check_facts(body, data, schema)
        if "policies" in data and not opens and self.span["side"] != side:
            raise schema("policies belong to the side whose packet is carried out")
        self.seal(body, data, opens, schema)
        if opens:
            closer = self.other(by) if mode == "two-player" else self.roles[0]
            self.span = {"opened": body["seq"], "closer": closer, "side": side, "orders": None}
        self.pending = "orders"
        self.span["orders"] = (body["seq"], rid)
        self.open(body, data, schema)

    def check_facts(self, body, data, schema):
        """A reply to a `facts` stop decides nothing, and commits only the tickets it was asked for."""
        if self.pending is not None or not self.stop or self.stop["ask"] != "facts":
            return
        by, seq = body["by"], body["seq"]
        waives = by == "gm"
        asked = [slot for slot in self.stop.get("slots", []) if slot.startswith("ticket/") and not waives]
        if any(name in data for name in ("policies", "standing", "answers", "note")):
            raise schema("a reply that states facts holds facts and openings alone")
        if any(item["slot"] not in asked for item in data.get("hide", [])):
            raise schema("a reply that states facts commits nothing but tickets it was asked for")
        stand = [slot for role, slot in self.sealed if role == by and any(seq not in self.dropped for _, seq in self.sealed[role, slot])]
        if any(slot not in stand + [item["slot"] for item in data.get("hide", [])] for slot in asked):
            raise schema("the ticket that was asked for is not committed")
        if asked:
            self.asked.add(seq)

    def side(self, body, data, mode, schema):
        by, side = body["by"], data.get("for")
        if mode == "two-player" and side:
            raise schema("`for` has no place between two players")
        if "standing" in data and self.seals_values():
            raise schema("in this game standing orders are sealed")
        if mode == "solo" and not side:
            raise schema("in a solo game `for` names the side")
        if mode == "gm" and (side is not None) != (by == "gm"):
            raise schema("`for` stands in orders of the game master, and in no others")
        if "nmr" in data and by != "gm":
            raise schema("`nmr` stands in orders of the game master only")
        if data.get("nmr") is True and "file_sha256" not in data and any(n in data for n in ("policies", "standing", "answers")):
            raise schema("orders marked `nmr` without the hash of the file they were entered from are an empty packet")
        if mode == "gm" and by == "gm":
            if data["nonce"] != body["prev"]:
                raise schema("orders of the game master carry the id of the record before as their nonce")
            if data.get("nmr") is not True and side in self.seats:
                raise schema("orders for a player who signs himself have to be marked `nmr`")
            self.absent.append(body["seq"])
        side = side or by
        due, who = self.due()
        if due == "speech" and who and who != side:
            raise Finding("E13-KIND", by, "orders for %s, but %s is due" % (side, who))
        return side

    def take_result(self, body, data, rid, schema):
        by = body["by"]
        if data["orders"] != self.span["orders"][1]:
            raise Finding("E13-KIND", by, "closes other orders than those before it")
        stop = data["stop"]
        if (stop["ask"] == "end") == ("who" in stop):
            raise schema("the members of `stop` do not go together")
        if "who" in stop and self.genesis["mode"] == "two-player" and stop["who"] not in self.seats:
            raise schema("%s does not play in this game" % stop["who"])
        whose = data.get("for", by)
        if ("for" in data) != ("notice" in data):
            raise schema("`for` and `notice` go together")
        if "for" in data:
            self.called(body, data, schema)
            if data.get("hide"):
                raise schema("a director commits nothing for the role he signs for")
            self.notes.append("W75-SEAT  record %d: the director closes for %s" % (body["seq"], whose))
        self.seal(body, data, ends_span(stop), schema)
        seat = self.seats[whose]
        if data["index"] != seat["used"] + 1 or data["index"] > self.genesis["links"]:
            what = "a link was left out or used again"
            raise Finding("E21-INDEX", by, what, recorded=data["index"], recomputed=seat["used"] + 1)
        before = H("link", whose, str(data["index"]), data["link"])
        if before != seat["tip"]:
            what = "the link does not hash to the one before it"
            raise Finding("E20-LINK", by, what, recorded=before, recomputed=seat["tip"])
        seat["tip"], seat["used"] = data["link"], data["index"]
        self.published.add(data["link"])
        seed = H("seed", data["orders"], data["link"])
        for said in data["rolls"]:
            if "secret" in said:
                self.secret.append((said, seed, self.spend(said, body["by"], schema)))
                continue
            faces = roll(seed, said["label"], said["sides"])
            if faces != said["faces"]:
                raise Finding(
                    "E30-ROLL", by, "the dice did not fall like this", said["label"], said["faces"], faces, said["sides"]
                )
            self.rolls += 1
        self.open(body, data, schema)
        self.state, self.stop, self.pending = data["state"], stop, None
        self.span["orders"] = None
        if ends_span(stop):
            self.refused.clear()

    def called(self, body, data, schema):
        """A director shows the notice of the role that waits."""
        notice, role = data.get("notice"), data["for"]
        if body["by"] != "director" or not NOTICE(notice):
            raise schema("`for` is a director's, with the notice of the one who waits")
        paper, said = notice["body"], notice["body"]["data"]
        fits = paper["game"] == self.game and said["record"] == self.head and said["owes"] == role
        waits = paper["by"] in self.roles and paper["by"] != role
        if not (fits and waits and signed_by(self.seats[paper["by"]]["key"], H("paper", canon(paper)), notice["sig"])):
            raise schema("the notice is not of the one who waits, or for another record")

    def take_motion(self, body, data, rid, schema):
        by, what, mode = body["by"], data["what"], self.genesis["mode"]
        lost, edge = data.get("lost") is True, self.at_edge()
        if "to" in data and "director" not in self.seats:
            raise schema("this game has no director")
        whose = data["role"] if what == "rekey" else by
        other = self.other(whose)
        if mode == "gm" and whose != "gm":
            other = "gm" if by != "gm" else None
        elif mode == "gm":
            waits = self.span["side"] if not self.span_is_over() else None
            other = waits if waits in self.roles else None
        if mode == "solo":
            other = None
        alone = what in ("reanchor", "rekey") or (what == "end" and "resigns" in data["verdict"]) or mode != "two-player"
        asked = data["to"] if "to" in data else other if lost or not alone else None
        if asked and (by, asked) in self.refused:
            raise Finding("E13-KIND", by, "%s has declined a motion; nothing more is asked of him yet" % asked)
        if what == "void":
            open_edges = [seq for seq, _, _ in self.edges if seq >= self.floor]
            if data["back_to"] not in open_edges[:-1]:
                raise schema("nobody can go back to record %d" % data["back_to"])
        elif what == "ruling" and data["about"] >= body["seq"]:
            raise schema("is about a record that is not there yet")
        elif what == "upgrade":
            if "kept" in data and self.seals_values():
                raise schema("what lies face down is sealed in this game")
            if self.state is not None and H("state", canon(data["position"])) != self.state:
                raise schema("`position` is not the one in force")
        elif what == "reanchor" and self.seats[by]["tip"] is None:
            raise schema("has no chain that could begin anew")
        elif what == "rekey":
            self.check_rekey(body, data, edge or lost, schema)
        elif what == "end" and data["verdict"].get("resigns", by) != by:
            raise schema("nobody resigns for another")
        if data.get("anchor") in self.published:
            raise schema("the anchor is an anchor or a link of this ledger")
        self.check_hidden(body, data, schema)
        self.seal(body, data, True, schema)
        self.open(body, data, schema)
        moved = {"seq": body["seq"], "id": rid, "by": by, "data": data, "asked": asked, "acts": None}
        self.moved.append(moved)
        if asked:
            self.table = moved
        else:
            self.settle(moved, body["seq"], by)

    def check_rekey(self, body, data, edge, schema):
        by, role = body["by"], data["role"]
        if role not in self.roles:
            raise schema("is the key of nobody who plays")
        new = [data[name] for name in ("key", "recovery") if name in data]
        if not all(sound(key) for key in new):
            raise schema("the key is no sound Ed25519 key")
        if self.keys & set(new) or len(set(new)) < len(new):
            raise Finding("E13-KIND", by, "key or anchor copied from another player")
        if by != role and "recovery" in data and self.seats[role]["recovery"]:
            raise schema("`recovery` changes under its own signature only")
        if not signed_by(data["key"], H("rekey", self.game, role, data["key"], body["prev"]), data["proof"]):
            raise schema("the new key has not signed for itself")
        if ("for" in data or "notice" in data) != (by == "director") or data.get("for", role) != role:
            raise schema("`for` and `notice` are a director's, and he shows them")
        if by == "director":
            self.called(body, data, schema)
        if edge and ("anchor" in data) != (self.seats[role]["tip"] is not None):
            raise schema("where a span has ended, a new key comes with a new chain, if its role has one")
        if not edge and ("anchor" in data or data.get("hide")):
            raise schema("inside a span a new key comes alone")

    def check_hidden(self, body, data, schema):
        """A motion hides anew what is there, and nothing else."""
        by = self.rekeys(body) or body["by"]
        for item in data.get("hide", []):
            slot = item["slot"]
            if in_state(slot) and not self.sealed.get((by, slot)):
                raise schema("%s is new; a motion only hides again what was there" % slot)
            number = re.match(r"ticket/([0-9]+)\Z", slot)
            if number and int(number[1]) <= self.spent.get(by, 0):
                raise schema("%s is a ticket that was spent" % slot)

    def take_accept(self, body, data, rid, schema):
        self.answer(body, data, schema, True)

    def take_decline(self, body, data, rid, schema):
        self.answer(body, data, schema, False)

    def answer(self, body, data, schema, accepts):
        by, moved = body["by"], self.table
        if data["motion"] != moved["id"]:
            raise Finding("E13-KIND", by, "answers another motion than the one on the table")
        if ("for" in data) != ("notice" in data):
            raise schema("`for` and `notice` go together")
        if "for" in data:
            self.called(body, data, schema)
        if data.get("hide") and moved["data"]["what"] != "void":
            raise schema("only who accepts a takeback hides anew")
        self.check_hidden(body, data, schema)
        self.table = None
        self.seal(body, data, True, schema)
        if accepts:
            self.settle(moved, body["seq"], by)
        else:
            self.refused.add((moved["by"], moved["asked"]))
            self.dropped.add(moved["seq"])
            self.notes.append("W77-PAPER  record %d: %s, declined by %s" % (moved["seq"], moved["data"]["what"], by))

    def go_back(self, back_to, motion):
        edge = next(edge for edge in self.edges if edge[0] == back_to)
        self.edges = [other for other in self.edges if other[0] <= back_to]
        _, self.state, self.stop = edge
        self.pending = self.span = None
        self.void.append((back_to + 1, motion - 1))

    def settle(self, moved, seq, by):
        """A motion acts."""
        data, what, motion = moved["data"], moved["data"]["what"], moved["seq"]
        moved["acts"], lost = seq, data.get("lost") is True
        owner = data["role"] if what == "rekey" else moved["by"]
        code = {"void": "W72-VOID  ", "ruling": "W73-RULING  ", "upgrade": "W73-RULING  ", "rekey": "W75-SEAT  "}.get(what, "")
        how = "no answer was due" if not moved["asked"] else "accepted by %s in record %d" % (by, seq)
        self.notes.append("%srecord %d: %s moved by %s, %s" % ("W71-LOST  " if lost else code, motion, what, moved["by"], how))
        if lost:
            if self.pending or (self.stop or {}).get("ask") != "end":  # after the end no span is in hand
                self.go_back(self.edges[-1][0], motion)
            self.floor = seq
        if what == "reanchor" or what == "rekey" and ("anchor" in data or data.get("hide") or lost):
            self.eras.setdefault(owner, []).append((motion, lost))
        if what == "void":
            self.go_back(data["back_to"], motion)
        elif what in ("ruling", "upgrade"):
            self.state = data["state"]
        elif what == "end":
            self.stop = {"ask": "end"}
        elif what == "rekey":
            self.keys.update(data[name] for name in ("key", "recovery") if name in data)
            seat = self.seats[owner]
            seat["key"], seat["recovery"] = data["key"], data.get("recovery", seat["recovery"])
        if "anchor" in data:
            self.published.add(data["anchor"])
            self.seats[owner].update(tip=data["anchor"], used=0)
        if what in ("upgrade", "rekey"):
            self.floor = seq

    def spend(self, said, signer, schema):
        """A secret roll spends the lowest ticket of its owner that is left; who closes with another is at fault."""
        by, label = said["by"], said["label"]
        if self.genesis["mode"] == "solo":
            raise schema("nothing is secret in a solo game")
        due = "ticket/%d" % (self.spent.get(by, 0) + 1)
        if self.in_force(by, due) is None:
            raise Finding("E52-TICKET", signer, "no ticket was committed in time", label)
        if said["secret"] != due:
            raise Finding("E52-TICKET", signer, "another ticket was due", label, said["secret"], due)
        self.spent[by] = self.spent.get(by, 0) + 1
        return self.in_force(by, due)[0]

    def take_audit(self, body, data, rid, schema):
        by, values = body["by"], data["values"]
        eras = self.eras.get(by, [])
        starts = [0] + [seq for seq, _ in eras]
        for at in range(len(eras) - 1, -1, -1):
            if eras[at][1]:
                starts = [seq for seq, _ in eras[at:]]
                break
        secrets = data.get("earlier", []) + [data["hide_secret"]]
        if len(secrets) != len(starts):
            raise Finding("E61-AUDIT", by, "the audit opens every chain", recorded=len(secrets), recomputed=len(starts))

        def salt(slot, version, seq):
            secret = [secret for start, secret in zip(starts, secrets) if start <= seq]
            if not secret:  # lost by consent
                return None
            line = ("garcia/1/salt\n%s\n%d\n" % (slot, version)).encode()
            return hmac.new(bytes.fromhex(secret[-1]), line, hashlib.sha256).hexdigest()

        names, salts = set(), {}
        for (role, slot), versions in sorted(self.sealed.items()):
            for version, (commit, seq) in enumerate(versions, 1):
                opening = salt(slot, version, seq)
                if role != by or seq in self.dropped or opening is None:
                    continue
                name = "%s/%d" % (slot, version)
                names.add(name)
                salts[slot, version] = opening
                if name not in values:
                    raise Finding("E61-AUDIT", by, "was not opened", label=name)
                if H("hide", self.game, by, slot, str(version), opening, canon(values[name])) != commit:
                    raise Finding("E60-AUDIT", by, "the value does not fit its commitment", label=name)
        if names != set(values):
            raise Finding("E60-AUDIT", by, "opens what was never committed")
        # A roll that was taken back and made again has one label and stands there twice, in the order of the ledger.
        told = {}
        for item in data["secret_rolls"]:
            told.setdefault(item["label"], []).append(item["faces"])
        for said, seed, version in self.secret:
            opening = salts.get((said["secret"], version))
            if said["by"] != by or opening is None:
                continue
            faces = roll(H("secret", seed, opening), said["label"], said["sides"])
            mine = told.get(said["label"], [])
            if not mine or mine[0] != faces:
                wrong = mine[0] if mine else None
                raise Finding("E60-AUDIT", by, "a secret roll was not as told", said["label"], wrong, faces)
            mine.pop(0)
        if any(told.values()):
            raise Finding("E60-AUDIT", by, "tells of a secret roll that was not made")
        self.audits[by] = values


# --- files and the report --------------------------------------------------------------------------------------------------


def read_places(paths):
    """place → list of (file name, record or Bad)."""
    places = {}

    def put(seq, name, data):
        try:
            record = parse_record(data)
        except Bad as error:
            record = error
        places.setdefault(seq if seq is not None else getattr(record, "get", lambda _: {"seq": 0})("body")["seq"], []).append(
            (name, record)
        )

    for path in paths:
        if path != "-" and os.path.isdir(path):
            inside = os.path.join(path, "ledger")
            folder = inside if os.path.isdir(inside) else path
            for name in sorted(os.listdir(folder)):
                place = re.match(r"([0-9]{4,9})-.*\.(?:yaml|yml|json)\Z", name)
                if place:
                    path = os.path.join(folder, name)
                    # A pipe or a device would never end; what is too long is no record.
                    if not os.path.isfile(path) or os.path.getsize(path) > 2 << 20:
                        places.setdefault(int(place[1]), []).append((name, Bad("not a plain file of up to 1 MiB")))
                        continue
                    with open(path, "rb") as file:
                        put(int(place[1]), name, file.read(2 << 20))
            continue
        data = sys.stdin.buffer.read() if path == "-" else open(path, "rb").read()
        if BEGIN.encode() in data:
            for number, record in enumerate(armoured(data.decode("utf-8", "replace")), 1):
                if record is None:
                    raise Finding("E01-ARMOUR", None, "record %d in %s is damaged: ask for it again" % (number, path))
                put(None, "%s#%d" % (os.path.basename(path), number), record)
        else:
            put(None, os.path.basename(path), data)
    return places


# Step 1 to 8: the form of a record is wrong. Whatever comes later is a fault in what it says.
FORM = ("E01-ARMOUR", "E02-CANON", "E03-SIG", "E10-GAME", "E11-PREV", "E12-FORK", "E13-KIND", "E14-SCHEMA")


def record_id(record):
    return H("record", canon(record["body"]))


def misformed(walk, record):
    """What is wrong with the form of a record at this place, if anything is."""
    try:
        walk.copy().take(record)
    except Finding as finding:
        return finding if finding.code in FORM else None
    return None


def settled(walk, record):
    """Whether the ledger alone settles that its form is right; packets and answers only the rules can judge."""
    kind, what = record["body"]["kind"], record["body"]["data"].get("what")
    plain = kind in ("result", "accept", "decline") or kind == "motion" and what not in ("ruling", "upgrade")
    return plain or walk.due()[0] == "call"


def choose(walk, seq, files, following, notes):
    """The record for a place. A fork has one signer; whoever is not due answers for that himself."""
    distinct = []
    for name, record in files:
        if isinstance(record, Bad):
            continue
        there = next((n for n, (_, other) in enumerate(distinct) if record_id(other) == record_id(record)), None)
        if there is None:
            distinct.append((name, record))
        elif distinct[there][1]["sig"] != record["sig"]:
            good = lambda r: getattr(misformed(walk, r), "code", None) != "E03-SIG"
            if not good(distinct[there][1]) and good(record):
                distinct[there] = (name, record)
    if not distinct:
        raise Finding("E02-CANON", None, str(files[0][1]))
    if len(distinct) == 1:
        return distinct[0]
    found = [(name, record, misformed(walk, record)) for name, record in distinct]
    good = [(name, record) for name, record, wrong in found if not wrong]
    for name, record, wrong in found:
        if wrong and good:
            signed = ", signed by %s" % wrong.fault if wrong.fault else ""
            notes.append("left aside: %s: %s%s: %s" % (ascii(name)[1:-1], wrong.code, signed, wrong.what))
    if not good:
        return next(((name, record) for name, record, wrong in found if wrong.fault), distinct[0])
    named = {r["body"]["prev"] for _, r in following if not isinstance(r, Bad)}
    if walk.due()[0] == "join":
        return next(((name, record) for name, record in good if record_id(record) in named), good[0])
    by = lambda item: item[1]["body"]["by"]
    if len({by(item) for item in good}) > 1:
        if all(item[1]["body"]["kind"] == "audit" for item in good):
            whose = next(role for role in walk.roles if any(by(item) == role for item in good))
        else:
            whose = next((by(item) for item in good if record_id(item[1]) in named), None)
            closed = whose not in (None, "gm") and any(by(item) == "gm" for item in good)
            whose = whose or ("gm" if any(by(item) == "gm" for item in good) else None)
            if closed:
                notes.append("left aside: E13-KIND, signed by gm: he closed a player's record and signed another for its place")
        if whose is None:
            raise Finding("E11-PREV", None, "two records for one place by different signers")
        late = [item for item in good if by(item) != whose and by(item) != "gm"]
        notes.extend("W76-LATE  %s: the game went on without it; no fault" % ascii(name)[1:-1] for name, _ in late)
        good = [item for item in good if by(item) == whose]
    if len(good) > 1:
        fault = by(good[0]) if all(settled(walk, record) for _, record in good) else None
        raise Finding("E12-FORK", fault, "two validly signed records for one place")
    return good[0]


def one_link_twice(places, walk, chosen):
    """A result elsewhere with a link of this ledger, for other orders: (place, record, Finding) or None."""
    def opened(record):  # whose link, and which; what a cheat wrote there need not be a text
        data = record["body"]["data"]
        return repr((data.get("for", record["body"]["by"]), data.get("link")))

    held = {opened(r): r for r in chosen if r["body"]["kind"] == "result"}
    stands = {record_id(record) for record in chosen}
    for seq in sorted(places):
        for _, stray in places[seq]:
            if isinstance(stray, Bad) or stray["body"]["kind"] != "result" or stray["body"].get("game") != walk.game:
                continue
            if record_id(stray) in stands:  # in one chain it is the number of the link that is wrong
                continue
            by, data = stray["body"]["by"], stray["body"]["data"]
            mine = held.get(opened(stray))
            if not mine or mine["body"]["data"].get("index") != data.get("index"):
                continue
            if mine["body"]["data"].get("orders") == data.get("orders") or by not in walk.seats:
                continue
            if signed_by(walk.seats[by]["key"], record_id(stray), stray["sig"]):
                place = min(seq, mine["body"]["seq"])
                return place, mine, Finding("E12-FORK", by, "one link was opened for two different orders")
    return None


def verify(places):
    """(walk, None or (place, record, Finding))."""
    walk, chosen, wrong = Walk(), [], None
    for seq in sorted(places):
        record = None
        try:
            if seq != walk.next:
                raise Finding("E11-PREV", None, "record %d is missing" % walk.next)
            _, record = choose(walk, seq, places[seq], places.get(seq + 1, []), walk.notes)
            chosen.append(record)
            walk.take(record)
        except Finding as finding:
            wrong = (walk.next, record, finding)
            break
    twice = one_link_twice(places, walk, chosen)
    if twice and (wrong is None or twice[0] <= wrong[0]):
        return walk, twice
    return walk, wrong


def report(places, walk, divergence):
    lines, total = [], len(places)
    # A record whose signature, place and link are good can still say something wrong.
    inside = divergence and divergence[1] and divergence[2].code >= "E30"
    good = divergence[0] + bool(inside) if divergence else walk.next
    if good:
        links = ", ".join("%d %s" % (s["used"], role) for role, s in sorted(walk.seats.items()) if s["tip"])
        span = "record 0" if good == 1 else "records 0-%d" % (good - 1)
        lines.append("%s of %d: signatures good, log unbroken, links good (%s)" % (span, total, links))
    if divergence:
        seq, record, finding = divergence
        who = ""
        if record:
            said = "said to be by" if finding.code == "E03-SIG" else "signed by"
            who = ", %s, %s %s" % (record["body"]["kind"], said, record["body"]["by"])
        lines.append("FIRST DIVERGENCE  record %d%s" % (seq, who))
        lines.append("  " + "  ".join(part for part in (finding.code, finding.label) if part))
        lines.append("  " + finding.what)
        if finding.recorded is not None:
            lines.append("  recorded %s   recomputed %s" % (finding.recorded, finding.recomputed))
        lines.append("  fault: " + (finding.fault + ", whose key signed it" if finding.fault else "nobody"))
    else:
        few = {0: "dice: no public rolls yet", 1: "dice: 1 public roll recomputed, as recorded"}
        lines.append(few.get(walk.rolls, "dice: %d public rolls recomputed, all as recorded" % walk.rolls))
        lines.append("rules: not judged here (%s)" % walk.genesis["engine"])
        for role in walk.audits:
            lines.append("audit: everything %s sealed was opened and fits its commitment" % role)
        if walk.owed():
            what, role = walk.owed()
            lines.append("W70-WAITING  %s owes: %s" % (role, what))
        elif walk.due()[0] == "speech" and walk.stop:
            lines.append("next: %s, %s" % (walk.stop.get("who"), walk.stop["ask"]))
        if walk.genesis["mode"] == "solo":
            lines.append("note: solo: dice committed, not shared")
        if walk.genesis["mode"] == "gm":
            lines.append("note: game master: dice committed by the game master, not by an opponent")
        for note in walk.notes:
            lines.append("note: " + note)
        for seq in walk.absent:
            lines.append("note: record %d: written by the game master; its dice rest on his word" % seq)
    return "\n".join(lines)


def exit_code(walk, divergence):
    # Good here never means more than 4: the rules are another program's business.
    if divergence:
        return 1 if divergence[2].fault else 2
    return 4


def as_json(walk, divergence):
    if not divergence:
        found = {"ok": True, "level": "L2", "seq": walk.next, "code": "E41-ENGINE"}
        return dict(found, by=walk.owed()[1]) if walk.owed() else found
    seq, record, finding = divergence
    found = {"ok": False, "seq": seq, "code": finding.code, "fault": finding.fault, "label": finding.label}
    found.update(recorded=finding.recorded, recomputed=finding.recomputed, by=record["body"]["by"] if record else None)
    found["level"] = "L2" if finding.code == "E30-ROLL" else "L1"
    return {name: value for name, value in found.items() if value is not None}


def main(arguments):
    wants_json = "--json" in arguments
    paths = [a for a in arguments if a != "--json"]
    if not paths or any(a.startswith("--") for a in paths):
        print(__doc__)
        return 64
    try:
        places = read_places(paths)
    except OSError as error:
        print("cannot read %s: %s" % (error.filename, error.strerror), file=sys.stderr)
        return 64
    except Finding as finding:
        print("%s  %s\n  fault: nobody" % (finding.code, finding.what))
        return 2
    if not places:
        print("there are no records here", file=sys.stderr)
        return 64
    walk, divergence = verify(places)
    print(json.dumps(as_json(walk, divergence), sort_keys=True) if wants_json else report(places, walk, divergence))
    return exit_code(walk, divergence)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
