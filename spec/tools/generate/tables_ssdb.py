"""Turns route/ssdb.json into C and Java for spec/generate.py.

A form becomes one letter per word: capitals A, B ... are the words of WORDS, small letters are the
types of LETTERS. Implements spec/route, "SSDB".
"""

import ssdb

WORDS = ["EX", "KEEPTTL", "LIMIT", "NX", "WITHSCORES"]
LETTERS = {
    "key": "k",
    "name": "n",
    "field": "f",
    "member": "m",
    "value": "v",
    "any": "a",
    "int": "i",
    "start": "b",
    "count": "c",
    "ttl": "t",
    "offset": "o",
    "limit": "l",
    "bit": "d",
    "score": "s",
    "low": "<",
    "high": ">",
    "bottom": "(",
    "top": ")",
}


def letters(pieces):
    return "".join(
        chr(ord("A") + WORDS.index(piece)) if piece.isupper() else LETTERS[piece]
        for piece in pieces
    )


def row(form):
    """(fixed, tail, sends, reply, empty, raw). A send is (name, positions of words, is counted)."""
    fixed, tail = ssdb.pieces(form["form"])
    sends = []
    for send in form.get("send", form.get("send_each", [])):
        name, *rest = send.split(" ") if "send_each" in form else ssdb.pieces(send)[0]
        places = "".join(str(fixed.index(piece)) for piece in rest) if "send" in form else ""
        sends.append((name, places, name != "DEL"))
    return (
        letters(fixed[1:]),
        letters(tail),
        sends,
        form.get("reply", "as_is"),
        form.get("empty"),
        "raw" in form,
    )


def reason(name):
    """The message for a command that matches none of its forms, except because of a length."""
    own = ssdb.PAGE["own"].get(name)
    return own["reason"] if own else ssdb.reason([name, "too", "many"] + ["words"] * 9)


def names():
    """(name, its forms, reason) of every known name; SSDB's own commands have no reason."""
    page = ssdb.PAGE
    for name in sorted({*page["commands"], *page["refusals"], *page["own"]}):
        is_open = name in page["own"] and "state" not in page["own"][name]
        yield (
            name,
            [row(form) for form in page["commands"].get(name, [])],
            None if is_open else reason(name),
        )


def quoted(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def header(notice):
    sends, forms, rows = [], [], []
    for name, its_forms, why in names():
        first_form, forms_count = f"oh_ssdb_forms + {len(forms)}", len(its_forms)
        rows.append(f"    {{{quoted(name)}, {first_form}, {forms_count}, {quoted(why)}}},")
        for fixed, tail, its_sends, reply, empty, raw in its_forms:
            forms.append(
                f"    {{{quoted(fixed)}, {quoted(tail)}, "
                f"oh_ssdb_sends + {len(sends)}, {len(its_sends)}, "
                f"OH_SSDB_{reply.upper()}, OH_SSDB_EMPTY_{(empty or 'never').upper()}, "
                f"{str(raw).lower()}}},"
            )
            sends += [
                f"    {{{quoted(sent)}, {quoted(places)}, {str(counts).lower()}}},"
                for sent, places, counts in its_sends
            ]
    return f"""/* {notice} */
#ifndef OH_GENERATED_SSDB_H
#define OH_GENERATED_SSDB_H

static const char *const oh_ssdb_words[] = {{{", ".join(map(quoted, WORDS))}}};

static const oh_ssdb_send oh_ssdb_sends[] = {{
{chr(10).join(sends)}
}};

static const oh_ssdb_form oh_ssdb_forms[] = {{
{chr(10).join(forms)}
}};

static const oh_ssdb_name oh_ssdb_names[] = {{
{chr(10).join(rows)}
}};

#endif
"""


def java(notice):
    rows = []
    for name, its_forms, why in names():
        rows.append(
            f'        {quoted(name)}, {"null" if why is None else quoted(why)}, "'
            + "|".join(
                ",".join(
                    [
                        fixed,
                        tail,
                        reply,
                        empty or "never",
                        "raw" if raw else "any",
                        ";".join(
                            f"{sent} {places} {'+' if counts else '-'}"
                            for sent, places, counts in sends
                        ),
                    ]
                )
                for fixed, tail, sends, reply, empty, raw in its_forms
            )
            + '",\n'
        )
    return f"""// {notice}
package io.onehop.core.ssdb;

/** For each name why it is refused (null: SSDB's own command), and its forms. */
final class SsdbTable {{
    /** The fixed words of forms. A form has the letter A for the first one, B for the second. */
    static final String[] WORDS = {{{", ".join(map(quoted, WORDS))}}};

    /**
     * Name, reason, forms. Bars separate forms. A form has six fields, with commas between them:
     * fixed, tail, reply, empty, "raw" or "any", sends. Semicolons separate sends. Each of these is
     * a name, places and counts, with blanks between them.
     */
    static final String[] NAMES = {{
{"".join(rows)}    }};

    private SsdbTable() {{
    }}
}}
"""
