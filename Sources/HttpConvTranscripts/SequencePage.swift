import HttpConvPlatform
public import HttpConversation

/// A page with diagrams.
struct SequencePage {
    private let diagrams: [SequenceDiagram]
    private let isCut: Bool
    private let creator: String

    init(_ diagrams: [SequenceDiagram], isCut: Bool, creator: String) {
        self.diagrams = diagrams
        self.isCut = isCut
        self.creator = creator
    }

    var text: HTMLText {
        let title = diagrams.count == 1 ? diagrams[0].title : "\(diagrams.count) conversations"
        let cut: HTMLText = isCut ? "<p class=\"cut\">The beginning was dropped: there was more than is kept.</p>" : ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="referrer" content="no-referrer">
            <title>\(title)</title>
            <style>
            \(SequenceStyle.text)
            </style>
            </head>
            <body>
            \(cut)\(diagrams.map { Self.section($0) })<footer>Made by \(creator). Cookies, tokens, passwords and whatever else \
            may be secret are not in this page.</footer>
            </body>
            </html>

            """
    }

    /// A policy against loading, scripts and forms.
    static let policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

    private static func section(_ diagram: SequenceDiagram) -> HTMLText {
        let lanes = diagram.lanes
        let places = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($0.element, $0.offset) })
        let style = "--lanes:\(lanes.count);--tracks:repeat(\(2 * lanes.count),minmax(5.25rem,1fr))"
        return """
            <section style="\(style)">
            <header><h1>\(diagram.title)</h1>
            <p>\(outcome(diagram))\(summary(diagram))</p></header>
            <div class="diagram">
            <div class="lanes">\(lanes.map { head($0, diagram) })</div>
            \(diagram.rows.map { row($0, diagram, places) })</div>
            </section>

            """
    }

    private static func outcome(_ diagram: SequenceDiagram) -> HTMLText {
        guard let outcome = diagram.outcome else {
            return diagram.hasStarted ? "<span class=\"pill note\">no end</span>" : ""
        }
        return "<span class=\"pill \(outcome.style.rawValue)\">\(outcome.text)</span>"
    }

    private static func summary(_ diagram: SequenceDiagram) -> HTMLText {
        let date = diagram.start.text(Date.ISO8601FormatStyle(dateTimeSeparator: .space))
        let duration = time(diagram.end, since: diagram.start)
        return """
            <span>\(duration)</span><span>\(plural(diagram.exchangeCount, "exchange"))</span>\
            <span>\(plural(diagram.serverCount, "server"))</span><time>\(date)</time>
            """
    }

    private static func head(_ lane: SequenceDiagram.Lane, _ diagram: SequenceDiagram) -> HTMLText {
        "<div><b>\(diagram.title(of: lane))</b><small>\(diagram.roles(of: lane).joined(separator: ", "))</small></div>"
    }

    private static func row(
        _ row: SequenceDiagram.Row, _ diagram: SequenceDiagram, _ places: [SequenceDiagram.Lane: Int]
    ) -> HTMLText {
        let kind = row.style.rawValue + (row.isOfChild ? " side" : "")
        let line = Self.line(row, diagram, places)
        guard !row.details.isEmpty else {
            return "<div class=\"row \(kind)\"><div class=\"line\">\(line)</div></div>\n"
        }
        let fields = row.details.map { "<tr><th>\($0.name)</th><td>\($0.value)</td></tr>" as HTMLText }
        return """
            <details class="row \(kind)"><summary class="line">\(line)</summary><table>\(fields)</table></details>

            """
    }

    private static func line(
        _ row: SequenceDiagram.Row, _ diagram: SequenceDiagram, _ places: [SequenceDiagram.Lane: Int]
    ) -> HTMLText {
        let date: HTMLText = "<time>\(time(row.date, since: diagram.start))</time>"
        let remarks: HTMLText = row.remarks.isEmpty ? "" : "<small>\(row.remarks.joined(separator: " · "))</small>"
        guard row.from != row.to, let from = places[row.from], let to = places[row.to] else {
            return date + "<span class=\"box\"><b>\(row.text)</b>\(remarks)</span>"
        }
        // The time has the first column, and each lane the next two.
        let columns = "grid-column:\(2 * min(from, to) + 3)/\(2 * max(from, to) + 3)"
        return """
            \(date)<span class="arrow \(from < to ? "right" : "left")" style="\(columns)">\
            <i>\(diagram.title(of: row.from)) → \(diagram.title(of: row.to))</i><b>\(row.text)</b>\(remarks)</span>
            """
    }

    private static func time(_ date: Date, since start: Date) -> String {
        // Limited to a displayable range: a decoded transcript may have any dates.
        let seconds = min(max(0, date.timeIntervalSince(start)), 1e9)
        return SequenceDiagram.duration(Int64(seconds * 1_000_000))
    }

    private static func plural(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}

extension Transcript {
    /// The conversations as sequence diagrams, in one self-contained page of HTML.
    ///
    /// The application, the conversation, the screen of logins and each server have a column. Each request, answer,
    /// redirect, challenge and decision has a row with its time. Header fields unfold. The page has no script, loads
    /// nothing, and suits light and dark, wide and narrow windows. It contains only data of the transcript, and texts
    /// of servers are escaped.
    ///
    /// - Parameter creator: the program that makes the page
    public func html(creator: String = "HttpConversation") -> String {
        SequencePage(SequenceDiagram.all(in: self), isCut: isCut, creator: creator).text.markup
    }
}
