import Foundation
public import HttpConversation

extension Transcript {
    /// The exchanges as an HTTP archive (HAR 1.2), which browsers' developer tools can open.
    ///
    /// It has one page per conversation and one entry per exchange, including children (token requests, pages of logins
    /// in the terminal). It contains only data of the transcript: no bodies, only the names of cookies, and
    /// `<redacted>` for values that are not known to be harmless. Unknown numbers are -1, as the format requires.
    ///
    /// - Parameters:
    ///   - creator: the program that makes the file
    ///   - version: that program's version
    public func har(creator: String = "HttpConversation", version: String = "1") -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var value = encoder.singleValueContainer()
            try value.encode(date.text(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        let archive = HTTPArchive(log: .init(self, creator: .init(name: creator, version: version)))
        // Encoding cannot fail: there are only texts, dates and finite numbers.
        return (try? encoder.encode(archive)).map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
    }
}
