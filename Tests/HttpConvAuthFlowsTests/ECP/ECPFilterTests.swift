import HTTPTypes
import HttpConvFormats
import HttpConversation
import HttpConversationTesting
import Testing

@testable import HttpConvAuthFlows

@Suite("SAML2 by ECP", .timeLimit(.minutes(1)))
struct ECPFilterTests {
    private static func code(_ error: ConversationError?) -> ECPError.Code? {
        (error?.underlyingError as? ECPError)?.code
    }

    private static func ok(_ text: String) -> ScriptedTransport.Answer {
        .init(.ok, [.contentType: "text/xml"], body: text)
    }

    // MARK: The login

    @Test func theAssertionGoesToTheServiceProviderAndTheRequestIsRepeated() async throws {
        let bench = ECPBench()
        #expect(try await bench.get().text == "the page")
        #expect(try await bench.get("https://sp.example.com/other").text == "the page")
        let asked = bench.requests(to: "idp.example.com")
        #expect(asked.map(\.method) == [.post])
        #expect(asked.first?.headerFields[.authorization] == "Basic YWxpY2U6d29uZGVy")
        #expect(asked.first?.headerFields[.cookie] == nil)
        let sent = String(decoding: try #require(bench.transport.bodies.first), as: UTF8.self)
        #expect(sent.contains(ECPBench.message.replacing("<q:Extra/>", with: "<q:Extra></q:Extra>")))
        #expect(!sent.contains("RelayState") && !sent.contains("Header"))
        let reply = try #require(bench.assertions.first)
        #expect(bench.assertions.count == 1 && bench.faults.isEmpty)
        #expect(reply.contains(">a&amp;b</n:RelayState>") && reply.contains("refToMessageID=\"m1\""))
        #expect(!reply.contains("AssertionConsumerServiceURL"))
        let consumer = try #require(bench.requests(to: "sp.example.com").first { $0.method == .post })
        #expect(consumer.headerFields[.cookie] == "state=1" && consumer.headerFields[.authorization] == nil)
        #expect(consumer.headerFields[.contentType] == ECPNames.mediaType)
        #expect(bench.observer.violations.isEmpty)
    }

    @Test func requestsAtOnceShareALogin() async throws {
        let bench = ECPBench()
        try await withThrowingTaskGroup(of: String.self) { tasks in
            for number in 0..<30 {
                tasks.addTask { try await bench.get("https://sp.example.com/\(number)").text }
            }
            for try await text in tasks { #expect(text == "the page") }
        }
        #expect(bench.requests(to: "idp.example.com").count == 1 && bench.assertions.count == 1)
    }

    @Test func aHeadAndAPostGetInToo() async throws {
        for method in [HTTPRequest.Method.head, .post] {
            let bench = ECPBench()
            let request = HTTPRequest(method, try TargetURL("https://sp.example.com/page"))
            let response = try await bench.manager.data(for: request, body: method == .post ? .text("x") : nil)
            #expect(response.status == .ok && bench.assertions.count == 1)
            #expect(bench.requests(to: "sp.example.com").last?.method == method)
        }
    }

    @Test func aSecondDemandAfterALoginEndsIt() async throws {
        let bench = ECPBench(acceptance: .init(.found, [.location: "/"]))
        #expect(Self.code(await bench.error()) == .challengedAgain)
        #expect(bench.assertions.count == 1)
    }

    // MARK: The consumer of the assertion

    @Test(arguments: [
        ECPBench.replyHeader.replacing(ECPBench.consumer, with: "https://sp.example.com/acs2"), "",
        ECPBench.replyHeader.replacing(ECPBench.consumer, with: "https://evil.example/acs"),
        ECPBench.replyHeader.replacing(ECPBench.consumer, with: ECPBench.consumer + " "),
    ])
    func anAnswerForAnotherURLBecomesAFault(_ header: String) async throws {
        let bench = ECPBench(answer: Self.ok(ECPBench.envelope(header, ECPBench.reply)))
        #expect(Self.code(await bench.error()) == .consumerDiffers)
        #expect(bench.assertions.isEmpty && bench.faults.count == 1)
        #expect(bench.requests(to: "sp.example.com").last?.target.path == "/acs")
        #expect(bench.requests(to: "evil.example").isEmpty)
    }

    @Test func aRequestWithTwoURLsBecomesAFaultWithoutALogin() async throws {
        let message = ECPBench.message.replacing(ECPBench.consumer, with: "https://evil.example/acs")
        let bench = ECPBench(request: ECPBench.envelope(ECPBench.header, message))
        #expect(Self.code(await bench.error()) == .consumerDiffers)
        #expect(bench.requests(to: "idp.example.com").isEmpty && bench.faults.count == 1)
    }

    @Test(arguments: [
        "https://evil.example/acs", "https://sp.example.com:444/acs", "http://sp.example.com/acs", "/acs", "",
        "https://sp.example.com.evil.example/acs", "https://sp.example.com@evil.example/acs",
        "https://alice@sp.example.com/acs", "http://plain.example.com/acs", "javascript:alert(1)",
    ])
    func anotherOriginGetsNothing(_ url: String) async throws {
        let bench = ECPBench(
            request: ECPBench.envelope(ECPBench.header, ECPBench.message).replacing(ECPBench.consumer, with: url))
        let code = Self.code(await bench.error())
        #expect(code == .consumerDiffers || code == .invalidRequest)
        #expect(bench.transport.requests.count == 1 && bench.transport.bodies.isEmpty)
    }

    @Test func anotherNamedServerMayGetIt() async throws {
        let url = "https://second.example.com/acs"
        func at(_ text: String) -> String { text.replacing(ECPBench.consumer, with: url) }
        let bench = ECPBench(
            request: at(ECPBench.envelope(ECPBench.header, ECPBench.message)),
            answer: Self.ok(at(ECPBench.envelope(ECPBench.replyHeader, ECPBench.reply)))
        ) { $0.target.absoluteString == url ? .init(.ok, [.setCookie: "sp=in"]) : nil }
        // The cookie is for the other host.
        #expect(Self.code(await bench.error()) == .challengedAgain)
        #expect(bench.assertions.count == 1)
        #expect(try await bench.get("https://second.example.com/page").text == "the page")
    }

    // MARK: Servers that are not named

    @Test func onlyNamedServersGetTheOffer() async throws {
        let envelope = ECPBench.envelope(ECPBench.header, ECPBench.message)
        let bench = ECPBench { request in
            if request.target.path == "/away" {
                return .init(.found, [.location: "https://other.example/x"])
            }
            guard request.target.origin.host == "other.example" else { return nil }
            return .init(.ok, [.contentType: ECPNames.mediaType], body: envelope)
        }
        for url in ["https://other.example/x", "https://sp.example.com/away"] {
            #expect(try await bench.get(url).text == envelope)
        }
        let others = bench.requests(to: "other.example")
        #expect(others.count == 2)
        #expect(others.allSatisfy { $0.headerFields[.paos] == nil && $0.headerFields[.accept] == nil })
        #expect(bench.requests(to: "idp.example.com").isEmpty && bench.transport.bodies.isEmpty)
    }

    @Test func aLoginOnAPageIsRefused() async throws {
        for page in [
            ScriptedTransport.Answer(.found, [.location: "https://evil.example/login?SAMLRequest=x"]),
            .init(
                .ok, [.contentType: "text/html"],
                body: "<form action=\"https://evil.example/\"><input name=\"SAMLRequest\" value=\"x\"></form>"),
        ] {
            let bench = ECPBench { $0.target.path == "/page" ? page : nil }
            #expect(Self.code(await bench.error()) == .pageWanted)
            #expect(bench.transport.requests.count == 1)
        }
    }

    /// The answer to a HEAD does not show the page; a GET with the same offer does.
    @Test func aLoginOnAPageIsRefusedAfterAHeadToo() async throws {
        let page = "<form action=\"https://evil.example/\"><input name=\"SAMLRequest\" value=\"x\"></form>"
        let bench = ECPBench { request in
            request.target.path == "/page"
                ? .init(.ok, [.contentType: "text/html"], body: request.method == .head ? "" : page) : nil
        }
        let request = HTTPRequest(.head, try TargetURL("https://sp.example.com/page"))
        let error = await #expect(throws: ConversationError.self) { try await bench.manager.data(for: request) }
        #expect(Self.code(error) == .pageWanted)
        #expect(bench.transport.requests.map(\.method) == [.head, .get])
        #expect(bench.transport.requests.allSatisfy { $0.headerFields[.paos] == ECPNames.offer })
    }

    // MARK: Damaged and hostile messages

    @Test(arguments: [
        "", "no XML", "<a/>", "<!DOCTYPE s [<!ENTITY e \"x\">]>" + ECPBench.envelope(ECPBench.header, ECPBench.message),
        ECPBench.envelope(ECPBench.header, ""), ECPBench.envelope("", ECPBench.message),
        ECPBench.envelope(ECPBench.header, ECPBench.message + ECPBench.message),
        ECPBench.envelope(ECPBench.header, ECPBench.reply), ECPBench.envelope(ECPBench.header, ECPBench.message) + "x",
        String(ECPBench.envelope(ECPBench.header, ECPBench.message).dropLast(9)),
        ECPBench.envelope(ECPBench.header + ECPBench.header, ECPBench.message),
        ECPBench.envelope(ECPBench.header.replacing("mustUnderstand=\"1\"", with: "x=\"1\""), ECPBench.message),
        ECPBench.envelope(ECPBench.header.replacing("actor/next", with: "actor/other"), ECPBench.message),
        ECPBench.envelope(ECPBench.header.replacing("service=", with: "server="), ECPBench.message),
        ECPBench.envelope(ECPBench.header.replacing(":ecp\" messageID", with: ":other\" messageID"), ECPBench.message),
        ECPBench.envelope(
            ECPBench.header + "<x:Must xmlns:x=\"urn:x\" s:mustUnderstand=\"1\"/>", ECPBench.message),
        ECPBench.envelope(
            ECPBench.header.replacing("a&amp;b", with: String(repeating: "a", count: 8193)), ECPBench.message),
        ECPBench.envelope(
            ECPBench.header,
            ECPBench.message.replacing(
                "<q:Extra/>", with: String(repeating: "<a>", count: 80) + String(repeating: "</a>", count: 80))),
        ECPBench.envelope(
            ECPBench.header,
            ECPBench.message.replacing("<q:Extra/>", with: String(repeating: "<a/>", count: 10_001))),
        ECPBench.envelope(
            ECPBench.header, ECPBench.message.replacing("<q:Extra/>", with: String(repeating: "a", count: 1 << 20))),
        ECPBench.envelope(ECPBench.header, ECPBench.message)
            .replacing("</s:Body>", with: "</s:Body><s:Body></s:Body>"),
        ECPBench.envelope(ECPBench.header, ECPBench.message)
            .replacing("</s:Body>", with: "</s:Body><s:Header></s:Header>"),
    ])
    func aRequestThatIsNoneGoesNowhere(_ request: String) async throws {
        let bench = ECPBench(request: request)
        #expect(Self.code(await bench.error()) == .invalidRequest)
        #expect(bench.transport.requests.count == 1)
    }

    @Test(arguments: [
        (ScriptedTransport.Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"x\""]), ECPError.Code.loginRefused),
        (.init(.forbidden), .loginRefused), (.init(.found, [.location: "https://evil.example/"]), .invalidResponse),
        (.init(.ok, [:], body: "<html>login</html>"), .invalidResponse),
        (.init(.internalServerError), .invalidResponse),
        (.init(.ok, [:], body: ECPBench.envelope(ECPBench.replyHeader, ECPBench.message)), .invalidResponse),
        (
            .init(
                .ok, [:],
                body: ECPBench.envelope(
                    ECPBench.replyHeader + "<x xmlns=\"urn:x\" s:mustUnderstand=\"1\"/>", ECPBench.reply)),
            .invalidResponse
        ),
        (
            .init(.ok, [:], body: "<!DOCTYPE a>" + ECPBench.envelope(ECPBench.replyHeader, ECPBench.reply)),
            .invalidResponse
        ),
        (
            .init(
                .internalServerError, [:],
                body: ECPBench.envelope(
                    "", "<s:Fault><faultcode>s:Client</faultcode><faultstring>no</faultstring></s:Fault>")),
            .loginRefused
        ),
        (
            .init(
                .ok, [:],
                body: ECPBench.envelope(ECPBench.replyHeader, ECPBench.reply.replacing(":Success", with: ":Responder"))),
            .loginRefused
        ),
        (
            .init(
                .ok, [:],
                body: ECPBench.envelope(ECPBench.replyHeader, ECPBench.reply) + String(repeating: " ", count: 1 << 20)),
            .serverFailed
        ),
    ])
    func anAnswerWithoutAnAssertionEndsTheLogin(
        _ answer: ScriptedTransport.Answer, _ code: ECPError.Code
    ) async throws {
        let bench = ECPBench(answer: answer)
        let error = await bench.error()
        #expect(Self.code(error) == code, "\(String(describing: error))")
        #expect(bench.requests(to: "idp.example.com").count == 1 && bench.assertions.isEmpty)
        #expect(bench.requests(to: "evil.example").isEmpty)
        #expect(error?.description.contains("wonder") == false)
    }

    /// Nor for another service provider, except after a fault, whose reason is not known: each attempt brings the account
    /// closer to being locked.
    @Test(arguments: [
        (ScriptedTransport.Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"x\""]), 1),
        (ECPBench.refusal("AuthnFailed"), 1), (ECPBench.fault, 2),
    ])
    func aRefusedPasswordIsNotSentForTheNextURL(_ answer: ScriptedTransport.Answer, count: Int) async throws {
        let bench = ECPBench(answer: answer)
        for number in 0..<3 {
            let error = await bench.error("https://sp.example.com/\(number)")
            #expect(Self.code(error) == .loginRefused)
            #expect(error?.message.contains("ten minutes") == (number > 0))
        }
        #expect(bench.requests(to: "idp.example.com").count == 1)
        #expect(Self.code(await bench.error("https://second.example.com/")) == .loginRefused)
        #expect(bench.requests(to: "idp.example.com").count == count)
    }

    /// An identity provider may repeat what it got, as it is or as it was sent.
    @Test(arguments: ["wonder is wrong", "YWxpY2U6d29uZGVy is wrong"]) func aRepeatedPassword(text: String) async {
        let fault = "<s:Fault><faultcode>s:C</faultcode><faultstring>It says \(text)</faultstring></s:Fault>"
        let bench = ECPBench(answer: Self.ok(ECPBench.envelope("", fault)))
        let error = await bench.error()?.underlyingError as? ECPError
        #expect(error?.code == .loginRefused && error?.message.contains("It says … is wrong") == true)
    }

    @Test(arguments: [ECPBench.refusal("RequestDenied"), ECPBench.fault, .init(.forbidden)])
    func whatOneServiceProviderIsDeniedOthersMayGet(_ answer: ScriptedTransport.Answer) async throws {
        let asked = Box(0)
        let header = ECPBench.replyHeader.replacing("sp.example.com", with: "second.example.com")
        let bench = ECPBench(other: { request in
            guard request.target.origin.host == "idp.example.com" else { return nil }
            asked.update { $0 += 1 }
            return asked.value == 1 ? answer : Self.ok(ECPBench.envelope(header, ECPBench.reply))
        })
        #expect(Self.code(await bench.error()) == .loginRefused)
        #expect(try await bench.get("https://second.example.com/").text == "the page")
        #expect(asked.value == 2)
    }

    @Test func aPasswordThatWasNotLookedAtIsSentAgain() async throws {
        let bench = ECPBench(answer: .init(.serviceUnavailable))
        for _ in 0..<2 { #expect(Self.code(await bench.error()) == .invalidResponse) }
        #expect(bench.requests(to: "idp.example.com").count == 2)
    }

    @Test func anAssertionThatIsNotAcceptedEndsTheLogin() async throws {
        let bench = ECPBench(acceptance: .init(.internalServerError))
        let error = await bench.error()
        #expect(Self.code(error) == .assertionRefused)
        #expect(error.map { "\($0)" }?.contains("secret") == false)
    }

    @Test(arguments: [
        "http://idp.example.com/ecp", "https://alice@idp.example.com/ecp", "https://idp.example.com/ecp#a", "/ecp",
    ])
    func anIdentityProviderThatIsNotSafeIsRefused(_ url: String) throws {
        #expect(throws: ECPError.self) {
            try ECPConfiguration(identityProvider: url) { .kerberos(KerberosLogin()) }
        }
    }

    // MARK: Envelopes

    @Test func anEnvelopeIsWrittenInItsCanonicalForm() throws {
        let text = """
            <?xml version="1.0" encoding="ISO-8859-1"?>
            <s:Envelope xmlns:s="\(ECPEnvelope.soap)" xmlns:q="\(ECPEnvelope.saml)" xmlns="urn:d"><s:Header/><!-- c --><s:Body>\
            <q:AuthnRequest b='1 &lt; "2" &amp;&#10;' xml:lang="de" xmlns:t="urn:t" t:x="y">a<![CDATA[<b>]]>&#13;<c xmlns=""/>\
            <!-- d --> &gt;</q:AuthnRequest></s:Body></s:Envelope>
            """
        let written = String(decoding: try ECPEnvelope(Array(text.utf8)).written(), as: UTF8.self)
        let expected = """
            <?xml version="1.0" encoding="UTF-8"?>
            <s:Envelope xmlns:s="\(ECPEnvelope.soap)" xmlns:q="\(ECPEnvelope.saml)" xmlns="urn:d"><s:Body>\
            <q:AuthnRequest xmlns:t="urn:t" b="1 &lt; &quot;2&quot; &amp;&#xA;" xml:lang="de" t:x="y">a&lt;b&gt;&#xD;<c xmlns=""></c>\
             &gt;</q:AuthnRequest></s:Body></s:Envelope>
            """
        #expect(written == expected)
    }
}
