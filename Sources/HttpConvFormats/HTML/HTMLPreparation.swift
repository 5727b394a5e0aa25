/// Prepares a page's text for libxml2: marks the end tags of forms, empties comments and elements without
/// controls, divides long texts, and writes references as libxml2 knows them (``HTMLReferences``).
///
/// A form ends for the controls that follow at its end tag and nowhere else (HTML §13.2.4.4), whatever elements enclose
/// it. libxml2 does not report that place: it ends a form with its parent, and drops an end tag that does not fit.
///
/// libxml2 reports nothing while it reads a comment, a script or a text, and ends some comments at another place than
/// browsers. In a prepared page only a tag of many attributes, or a declaration, is long without an event
/// (``HTMLEventParser``).
enum HTMLPreparation {
    /// The element before each end tag of a form. In a page of its own it has the same effect as the end tag.
    static let formEnd = "httpc-form-end"
    private static let element = Array("<\(formEnd)></\(formEnd)>".utf8)
    /// Stands in place of comments, and between the parts of a long text.
    static let divider = "<!---->"
    private static let emptyComment = Array(divider.utf8)
    /// The length of the parts of a long text, in bytes.
    private static let textLength = 4096
    private static let form = Array("form".utf8)
    private static let plaintext = Array("plaintext".utf8)
    private static let script = Array("script".utf8)
    /// The elements of other languages, which may have sections of text (HTML §13.2.5.42).
    private static let foreign = ["svg", "math"].map { Array($0.utf8) }
    /// The elements whose content is text up to their end tag, and whether the text is kept.
    private static let textOnly = [
        ("script", false), ("style", false), ("textarea", true), ("title", true), ("xmp", false), ("iframe", false),
        ("noembed", false), ("noframes", false),
    ].map { (name: Array($0.0.utf8), isKept: $0.1) }

    /// The prepared page. Takes time proportional to its size.
    ///
    /// - Parameter isXML: whether it is XHTML, where each part may have sections of text
    static func prepare(_ page: String, isXML: Bool) -> String {
        var page = page
        return page.withUTF8 { bytes in
            var scanner = Scanner(bytes, isXML: isXML)
            return String(decoding: HTMLReferences.numbered(scanner.prepared(), isXML: isXML), as: UTF8.self)
        }
    }

    /// Finds tags as browsers do (HTML §13.2.5). All searches go on where the last one ended.
    private struct Scanner {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var place = 0
        private var result: [UInt8] = []
        /// The end of what is in the result.
        private var done = 0
        private let isXML: Bool
        /// The number of open elements of other languages.
        private var depth = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>, isXML: Bool) {
            self.bytes = bytes
            self.isXML = isXML
            result.reserveCapacity(bytes.count)
        }

        mutating func prepared() -> [UInt8] {
            while let start = skipText() {
                place += 1
                guard place < bytes.count else { break }
                switch bytes[place] {
                case UInt8(ascii: "!"):
                    if skipSection() || skipComment() {
                        replace(start..<place, with: HTMLPreparation.emptyComment)
                    }
                case UInt8(ascii: "?"):
                    // Browsers take it for a comment.
                    place = skip(to: UInt8(ascii: ">")) ? place + 1 : place
                    replace(start..<place, with: [])
                case UInt8(ascii: "/"):
                    place += 1
                    if takes(HTMLPreparation.form) { replace(start..<start, with: HTMLPreparation.element) }
                    if HTMLPreparation.foreign.contains(where: { takes($0) }) { depth = max(0, depth - 1) }
                    _ = skipTag()
                case let byte where byte.isASCIILetter:
                    if takes(HTMLPreparation.plaintext) {
                        // All that follows is text.
                        place = bytes.count
                        replace(start..<place, with: [])
                        continue
                    }
                    let isForeign = HTMLPreparation.foreign.contains { takes($0) }
                    let element = isForeign ? nil : HTMLPreparation.textOnly.first { takes($0.name) }
                    let isEmpty = skipTag()
                    if isForeign, !isEmpty { depth += 1 }
                    // libxml2 takes <script/> for empty, as XHTML does.
                    guard let element, !isEmpty else { continue }
                    let content = place
                    skipText(of: element.name)
                    if element.isKept { divide(content..<place) } else { replace(content..<place, with: []) }
                default: break
                }
            }
            return result + bytes[done...]
        }

        private mutating func replace(_ range: Range<Int>, with text: [UInt8]) {
            result += bytes[done..<range.lowerBound]
            result += text
            done = range.upperBound
        }

        /// Moves behind a text.
        ///
        /// - Returns: the place of the tag that follows; nil at the end
        private mutating func skipText() -> Int? {
            let start = place
            let hasTag = skip(to: UInt8(ascii: "<"))
            divide(start..<place)
            return hasTag ? place : nil
        }

        /// Divides a long text at spaces.
        private mutating func divide(_ text: Range<Int>) {
            var place = text.lowerBound + HTMLPreparation.textLength
            while place < text.upperBound,
                let space = bytes[place..<text.upperBound].firstIndex(where: \.isASCIISpace)
            {
                replace(space..<space, with: HTMLPreparation.emptyComment)
                place = space + HTMLPreparation.textLength
            }
        }

        /// Whether a tag's name is this one. Moves behind it.
        private mutating func takes(_ name: [UInt8]) -> Bool {
            let end = place + name.count
            guard end <= bytes.count, bytes[place..<end].elementsEqual(name, by: { $0.asciiLowercased == $1 }),
                end == bytes.count || bytes[end].isASCIISpace || bytes[end] == UInt8(ascii: "/")
                    || bytes[end] == UInt8(ascii: ">")
            else { return false }
            place = end
            return true
        }

        /// Moves behind a tag. A `>` in a quoted value does not end it.
        ///
        /// - Returns: whether it ends with a slash that belongs to no value
        private mutating func skipTag() -> Bool {
            var endsWithSlash = false
            while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
                let isValue = bytes[place] == UInt8(ascii: "=")
                endsWithSlash = bytes[place] == UInt8(ascii: "/")
                place += 1
                guard isValue else { continue }
                while place < bytes.count, bytes[place].isASCIISpace { place += 1 }
                guard place < bytes.count, Self.isQuote(bytes[place]) else {
                    while place < bytes.count, !bytes[place].isASCIISpace, bytes[place] != UInt8(ascii: ">") {
                        place += 1
                    }
                    continue
                }
                let quote = bytes[place]
                place += 1
                _ = skip(to: quote)
                place = min(place + 1, bytes.count)
            }
            place = min(place + 1, bytes.count)
            return endsWithSlash
        }

        /// Moves behind a comment or declaration.
        ///
        /// - Returns: whether it is a comment
        private mutating func skipComment() -> Bool {
            guard bytes[place...].dropFirst().starts(with: "--".utf8) else {
                let isDeclaration = bytes[place...].dropFirst().first?.isASCIILetter == true
                // Browsers take others for comments.
                if skip(to: UInt8(ascii: ">")), !isDeclaration { place += 1 }
                return !isDeclaration
            }
            // <!--> and <!---> are whole.
            place += 1
            while skip(to: UInt8(ascii: ">")) {
                let text = bytes[..<place]
                place += 1
                if text.suffix(2).elementsEqual("--".utf8) || text.suffix(3).elementsEqual("--!".utf8) { return true }
            }
            return true
        }

        /// Moves behind a section of text, `<![CDATA[…]]>`. Elsewhere than in other languages it is a comment up to the
        /// next `>`.
        ///
        /// - Returns: whether there is one
        private mutating func skipSection() -> Bool {
            guard isXML || depth > 0, bytes[place...].starts(with: "![CDATA[".utf8) else { return false }
            place += 8
            while skip(to: UInt8(ascii: ">")) {
                place += 1
                if bytes[..<place].suffix(3).elementsEqual("]]>".utf8) { break }
            }
            return true
        }

        /// Moves to the end tag of a script. After `<!--<script`, the next end tag is a part of the text (HTML
        /// §13.2.5.26).
        private mutating func skipScript() {
            var (isEscaped, isDouble) = (false, false)
            while place < bytes.count {
                let start = place
                switch bytes[place] {
                case UInt8(ascii: "-") where isEscaped && bytes[place...].starts(with: "-->".utf8):
                    (isEscaped, isDouble) = (false, false)
                    place += 3
                case UInt8(ascii: "<") where !isEscaped && bytes[place...].starts(with: "<!--".utf8):
                    isEscaped = true
                    // The same hyphens may end it.
                    place += 2
                case UInt8(ascii: "<"):
                    place += 1
                    let isEnd = place < bytes.count && bytes[place] == UInt8(ascii: "/")
                    if isEnd { place += 1 }
                    guard takes(HTMLPreparation.script) else { continue }
                    if isEnd, !isDouble {
                        place = start
                        return
                    }
                    isDouble = isEscaped && !isEnd
                default: place += 1
                }
            }
        }

        /// Moves to the end tag of an element that contains text only.
        private mutating func skipText(of element: [UInt8]) {
            if element == HTMLPreparation.script { return skipScript() }
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

        private static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
    }
}
