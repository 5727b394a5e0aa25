/// Marks the end tags of forms in a page's text.
///
/// A form ends for the controls that follow at its end tag and nowhere else (HTML §13.2.4.4), whatever elements enclose
/// it. libxml2 does not report that place: it ends a form with its parent, and drops an end tag that does not fit.
enum HTMLFormEnds {
    /// The element before each end tag. In a page of its own it has the same effect as the end tag.
    static let mark = "httpc-form-end"
    private static let element = Array("<\(mark)></\(mark)>".utf8)
    private static let form = Array("form".utf8)
    /// The elements whose content is text up to their end tag.
    private static let textOnly = [
        "script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes",
    ].map { Array($0.utf8) }

    /// The page with the marks. Takes time proportional to its size.
    static func mark(_ page: String) -> String {
        var page = page
        return page.withUTF8 { bytes in
            var scanner = Scanner(bytes)
            let ends = scanner.ends()
            guard !ends.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
            var marked: [UInt8] = []
            marked.reserveCapacity(bytes.count + ends.count * element.count)
            var start = 0
            for end in ends {
                marked += bytes[start..<end]
                marked += element
                start = end
            }
            marked += bytes[start...]
            return String(decoding: marked, as: UTF8.self)
        }
    }

    /// Finds tags as browsers do (HTML §13.2.5). All searches go on where the last one ended.
    private struct Scanner {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var place = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

        /// The places of the end tags of forms.
        mutating func ends() -> [Int] {
            var ends: [Int] = []
            while skip(to: UInt8(ascii: "<")) {
                let start = place
                place += 1
                guard place < bytes.count else { break }
                switch bytes[place] {
                case UInt8(ascii: "!"): skipComment()
                case UInt8(ascii: "/"):
                    place += 1
                    if takes(HTMLFormEnds.form) { ends.append(start) }
                    skipTag()
                case let byte where Self.isLetter(byte):
                    let element = HTMLFormEnds.textOnly.first { takes($0) }
                    skipTag()
                    if let element { skipText(of: element) }
                default: break
                }
            }
            return ends
        }

        /// Whether a tag's name is this one. Moves behind it.
        private mutating func takes(_ name: [UInt8]) -> Bool {
            let end = place + name.count
            guard end <= bytes.count, bytes[place..<end].elementsEqual(name, by: { $0.asciiLowercased == $1 }),
                end == bytes.count || Self.isSpace(bytes[end]) || bytes[end] == UInt8(ascii: "/")
                    || bytes[end] == UInt8(ascii: ">")
            else { return false }
            place = end
            return true
        }

        /// Moves behind a tag. A `>` in a quoted value does not end it.
        private mutating func skipTag() {
            while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
                let isValue = bytes[place] == UInt8(ascii: "=")
                place += 1
                guard isValue else { continue }
                while place < bytes.count, Self.isSpace(bytes[place]) { place += 1 }
                guard place < bytes.count, Self.isQuote(bytes[place]) else { continue }
                let quote = bytes[place]
                place += 1
                _ = skip(to: quote)
                place = min(place + 1, bytes.count)
            }
            place = min(place + 1, bytes.count)
        }

        /// Moves behind a comment or declaration.
        private mutating func skipComment() {
            guard bytes[place...].dropFirst().starts(with: "--".utf8) else {
                _ = skip(to: UInt8(ascii: ">"))
                return
            }
            // <!--> and <!---> are whole.
            place += 1
            while skip(to: UInt8(ascii: ">")) {
                let text = bytes[..<place]
                place += 1
                if text.suffix(2).elementsEqual("--".utf8) || text.suffix(3).elementsEqual("--!".utf8) { return }
            }
        }

        /// Moves to the end tag of an element that contains text only.
        private mutating func skipText(of element: [UInt8]) {
            while skip(to: UInt8(ascii: "<")) {
                let start = place
                place += 1
                guard place < bytes.count, bytes[place] == UInt8(ascii: "/") else { continue }
                place += 1
                if takes(element) {
                    place = start
                    return
                }
            }
        }

        /// Moves to the next byte of this value, or to the end.
        private mutating func skip(to byte: UInt8) -> Bool {
            while place < bytes.count, bytes[place] != byte { place += 1 }
            return place < bytes.count
        }

        private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

        private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

        private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    }
}
