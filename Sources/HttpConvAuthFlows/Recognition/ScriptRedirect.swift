import HttpConvFormats
import HttpConversation

/// The redirect of a page that is nothing but a script, as SAP's application router sends it. The script is not run.
enum ScriptRedirect {
    /// The largest page that is searched, in bytes.
    static let limit = 4 << 10

    /// The authorization request that the page's script leads to: the only text that it assigns to `location`; nil if
    /// there is another one, or none.
    static func authorizationRequest(of page: [UInt8]) -> TargetURL? {
        guard page.count <= limit else { return nil }
        let texts = page.indices.compactMap { assigned(in: page[$0...]) }
        guard texts.count == 1, let target = try? TargetURL(texts[0]), target.userinfo == nil,
            LoginParameters(of: target).isAuthorizationRequest
        else { return nil }
        return target
    }

    /// The text in quotes that is assigned to `location` at the start of a script.
    private static func assigned(in script: ArraySlice<UInt8>) -> String? {
        guard script.starts(with: "location".utf8) else { return nil }
        var rest = script.dropFirst(8)
        if rest.starts(with: ".href".utf8) { rest = rest.dropFirst(5) }
        rest = rest.drop(while: \.isBlank)
        guard rest.first == UInt8(ascii: "=") else { return nil }
        rest = rest.dropFirst().drop(while: \.isBlank)
        guard let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = rest.dropFirst().firstIndex(of: quote)
        else { return nil }
        return String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self).replacing("\\/", with: "/")
    }
}
