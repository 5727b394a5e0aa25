/// Replaces character references that libxml2 does not know, or takes for another character, by the character's number.
///
/// The names of ASCII characters that came with HTML 5, such as `&sol;`: before 2.14, libxml2 knows the names of HTML 4
/// only. Some programs write each character that has a name by its name: also those of an address, or of a message of
/// SAML2 in a hidden field.
///
/// The numbers 128 to 159, such as `&#128;`: in HTML they are bytes of windows-1252 (§13.2.5.80), in XML controls.
enum HTMLReferences {
    private static let numbers: [String: UInt8] = [
        "Tab": 9, "NewLine": 10, "excl": 33, "QUOT": 34, "num": 35, "dollar": 36, "percnt": 37, "AMP": 38, "lpar": 40,
        "rpar": 41, "ast": 42, "midast": 42, "plus": 43, "comma": 44, "period": 46, "sol": 47, "colon": 58, "semi": 59,
        "LT": 60, "equals": 61, "GT": 62, "quest": 63, "commat": 64, "lsqb": 91, "lbrack": 91, "bsol": 92, "rsqb": 93,
        "rbrack": 93, "Hat": 94, "lowbar": 95, "UnderBar": 95, "grave": 96, "lcub": 123, "lbrace": 123, "verbar": 124,
        "vert": 124, "rcub": 125, "rbrace": 125,
    ]
    private static let longestName = 8

    /// The page with numbers. Takes time proportional to its size.
    ///
    /// - Parameter isXML: whether it is XHTML, where numbers mean what they say
    static func numbered(_ page: [UInt8], isXML: Bool) -> [UInt8] {
        var result: [UInt8] = []
        /// The end of what is in the result.
        var done = 0
        var next = page.firstIndex(of: UInt8(ascii: "&"))
        while let start = next {
            let rest = page[(start + 1)...]
            if !isXML, let (character, end) = windowsCharacter(rest) {
                result += page[done..<start]
                result += "&#\(character.value);".utf8
                done = end
            }
            let name = rest.prefix(longestName).prefix(while: \.isASCIILetter)
            if rest.dropFirst(name.count).first == UInt8(ascii: ";"),
                let number = numbers[String(decoding: name, as: UTF8.self)]
            {
                result += page[done..<start]
                result += "&#\(number);".utf8
                done = name.endIndex + 1
            }
            next = rest.firstIndex(of: UInt8(ascii: "&"))
        }
        return done == 0 ? page : result + page[done...]
    }

    /// The character of a number from 128 to 159, and the end of its reference, which may lack its semicolon.
    private static func windowsCharacter(_ text: ArraySlice<UInt8>) -> (Unicode.Scalar, end: Int)? {
        guard text.first == UInt8(ascii: "#") else { return nil }
        var digits = text.dropFirst()
        let isHexadecimal = digits.first?.asciiLowercased == UInt8(ascii: "x")
        if isHexadecimal { digits = digits.dropFirst() }
        digits = digits.prefix { isHexadecimal ? $0.hexDigit != nil : $0.isASCIIDigit }
        let end = digits.endIndex
        digits = digits.drop { $0 == UInt8(ascii: "0") }
        guard digits.count <= 3,
            let number = UInt8(String(decoding: digits, as: UTF8.self), radix: isHexadecimal ? 16 : 10),
            (0x80...0x9F).contains(number)
        else { return nil }
        let hasSemicolon = end < text.endIndex && text[end] == UInt8(ascii: ";")
        return (SingleByteCharset.windows1252.character(number), hasSemicolon ? end + 1 : end)
    }
}
