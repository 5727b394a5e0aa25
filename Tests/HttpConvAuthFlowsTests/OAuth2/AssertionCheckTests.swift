import Foundation
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

/// The check of SAML assertions before they are sent (RFC 7522 §3).
@Suite("OAuth2: the check of assertions") struct AssertionCheckTests {
    private static let endpoint = "https://as.example.com/token"
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A time, in seconds from now.
    private static func time(_ seconds: Double) -> String {
        (now + seconds).formatted(.iso8601)
    }

    private static func confirmation(_ recipient: String, endsIn seconds: Double) -> String {
        """
        <SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">
          <SubjectConfirmationData Recipient="\(recipient)" NotOnOrAfter="\(time(seconds))"/>
        </SubjectConfirmation>
        """
    }

    private static func assertion(_ confirmations: [String], endsIn seconds: Double = 3600) -> String {
        """
        <?xml version="1.0"?>
        <Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion" Version="2.0">
          <Subject>
            <NameID>alice</NameID>
            \(confirmations.joined(separator: "\n"))
          </Subject>
          <Conditions NotOnOrAfter="\(time(seconds))">
            <AudienceRestriction><Audience>https://as.example.com</Audience></AudienceRestriction>
          </Conditions>
        </Assertion>
        """
    }

    private func check(_ text: String, audience: String = "https://as.example.com") throws -> String {
        var check = AssertionCheck(
            audience: audience, acceptsRecipient: true, endpoint: try TargetURL(Self.endpoint))
        check.now = Self.now
        return try check.saml2(text).value
    }

    private func problem(_ text: String, audience: String = "https://as.example.com") -> String? {
        do {
            _ = try check(text, audience: audience)
            return nil
        } catch { return (error as? OAuth2Error)?.message }
    }

    /// XML with line breaks, base64 in one line and wrapped as `base64` prints it, in either alphabet.
    @Test func eachFormIsRead() throws {
        let xml = Self.assertion([Self.confirmation(Self.endpoint, endsIn: 300)])
        let packed = try check("\n" + xml + "\n")
        let data = Data(xml.utf8)
        let forms = [
            data.base64EncodedString(),
            data.base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed]) + "\n",
            data.base64EncodedString(options: [.lineLength64Characters, .endLineWithCarriageReturn]), packed,
        ]
        for form in forms { #expect(try check(form) == packed) }
        #expect(!packed.contains { "+/= \n".contains($0) })
    }

    /// One confirmation that is valid for this server suffices.
    @Test func oneValidConfirmationSuffices() throws {
        let (valid, ended) = (3600.0, -3600.0)
        let other = "https://other.example.com/token"
        for (confirmations, isTaken) in [
            ([(Self.endpoint, ended), (Self.endpoint, valid)], true), ([(other, ended), (Self.endpoint, valid)], true),
            ([(Self.endpoint, ended), (other, valid)], false), ([(Self.endpoint, ended)], false), ([], true),
        ] {
            let text = Self.assertion(confirmations.map { Self.confirmation($0.0, endsIn: $0.1) })
            #expect(problem(text)?.contains("expired") ?? false == !isTaken, "\(confirmations)")
        }
    }

    /// The conditions count for all confirmations.
    @Test func endedConditionsRefuseAll() throws {
        let text = Self.assertion([Self.confirmation(Self.endpoint, endsIn: 3600)], endsIn: -3600)
        #expect(problem(text)?.contains("expired") == true)
    }

    @Test func theRecipientStandsForTheAudience() throws {
        let other = "https://other.example.com"
        let own = Self.assertion([
            Self.confirmation(other, endsIn: 300), Self.confirmation(Self.endpoint, endsIn: 300),
        ])
        #expect(problem(own, audience: other + "/x") == nil)
        let foreign = Self.assertion([Self.confirmation(other, endsIn: 300)])
        #expect(problem(foreign, audience: other + "/x")?.contains("another server") == true)
    }
}
