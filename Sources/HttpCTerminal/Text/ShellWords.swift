package import HttpC

/// Words of a command line as a shell reads them (POSIX.1-2024, Shell Command Language, §2.2).
package enum ShellWords {
    /// A text, made safe for a terminal, as one word that a shell takes as it is.
    package static func word(_ text: String, limit: Int = 60) -> String {
        let text = TerminalText.sanitise(text, limit: limit)
        let isPlain = !text.isEmpty && text.utf8.allSatisfy { $0.isAlphanumeric || "_-./:@%+,=".utf8.contains($0) }
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// A URL without the text of its query and without a fragment, as one word. `?…` stands for a query.
    package static func url(_ url: TargetURL) -> String {
        word("\(url.origin)\(url.path)\(url.query == nil ? "" : "?…")", limit: 1000)
    }

    /// The words of a line with quotes and backslashes. Nothing is expanded.
    ///
    /// - Returns: nil if a quote has no end
    package static func split(_ line: String) -> [String]? {
        var words: [String] = []
        var word: String?
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                // Inside double quotes a backslash escapes only these.
                if quote == "\"", !"\"\\$`".unicodeScalars.contains(scalar) { word?.unicodeScalars.append("\\") }
                word = word ?? ""
                word?.unicodeScalars.append(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
                word = word ?? ""
            } else if let end = quote {
                if scalar == end { quote = nil } else { word?.unicodeScalars.append(scalar) }
            } else if scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? ""
            } else if scalar == " " || scalar == "\t" {
                if let word { words.append(word) }
                word = nil
            } else {
                word = word ?? ""
                word?.unicodeScalars.append(scalar)
            }
        }
        if let word { words.append(word) }
        return quote == nil && !isEscaped ? words : nil
    }
}
