import HttpConvFormats
import Testing

@Suite struct JSONWebTokenTextTests {
    private static let header = Base64URL.text(Array(#"{"alg":"RS256"}"#.utf8))
    private static let claims = Base64URL.text(Array(#"{"sub":"ada"}"#.utf8))
    private static let array = Base64URL.text(Array("[1]".utf8))

    @Test(arguments: ["c2ln", ""])
    func parts(signature: String) throws {
        let token = try #require(JSONWebTokenText("\(Self.header).\(Self.claims).\(signature)"))
        #expect(token.header == ["alg": .string("RS256")])
        #expect(token.claims == ["sub": .string("ada")])
        #expect(token.hasSignature == !signature.isEmpty)
    }

    @Test(arguments: [
        "", "\(header).\(claims)", "\(header).\(claims).s.s", "\(array).\(claims).s", "\(header).\(array).s",
        "\(header).!.s", "..",
    ])
    func others(text: String) { #expect(JSONWebTokenText(text) == nil) }
}
