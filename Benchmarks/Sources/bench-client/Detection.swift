import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConversation

/// What looking for SAML2 challenges costs, measured from outside: conversations without a network, with the filter and
/// without, beside a plain search for the same bytes.
enum Detection {
    struct NotFound: Error {}

    private struct Provider: SAML2ConfigProvider {
        let config: SAML2Config
        func saml2Config(for target: TargetURL) async throws -> SAML2Config? { config }
    }

    static func configurator() throws -> CommonAuthenticationConfigurator {
        var configurator = CommonAuthenticationConfigurator()
        configurator.add(
            saml2: Provider(
                config: try SAML2Config(
                    identifyingHeader: "com.sap.cloud.security.login",
                    finishEndpoint: TargetURL("http://127.0.0.1/SAMLAuthLauncher"), finishParameter: "finish")))
        return configurator
    }

    private static let chunk = Array(
        repeatElement(#"<tr class="row"><td>4711</td><td>Quarterly report, as required</td></tr>"#, count: 1000)
            .joined(separator: "\n").utf8.prefix(65_536))

    static func run(_ rounds: Int) async throws {
        let plain = HttpConversationManager(transport: PageTransport(chunk: chunk))
        let watched = HttpConversationManager(transport: PageTransport(chunk: chunk))
        let configurator = try configurator()
        watched.update { $0.apply(configurator) }
        let (without, with) = (try await cost(plain, rounds), try await cost(watched, rounds))
        let search = try searchCost(rounds)
        print("\(rounded(search)) \(rounded(with - without))")
    }

    private static func cost(_ manager: HttpConversationManager, _ rounds: Int) async throws -> Double {
        let request = try HTTPRequest(.get, "http://127.0.0.1/page")
        for _ in 0..<20 { _ = try await manager.bytes(for: request) }
        let before = Usage.now()
        for _ in 0..<rounds {
            // The page is looked at before the caller gets its head; nobody reads it after that.
            _ = try await manager.bytes(for: request)
        }
        return Usage.now().since(before).cpu * 1_000_000 / Double(rounds)
    }

    private static func searchCost(_ rounds: Int) throws -> Double {
        let needle = Array("SAMLRequest".utf8)
        let page = Array(repeatElement(chunk, count: 16).joined())
        let before = Usage.now()
        for _ in 0..<rounds {
            let found = page.withUnsafeBytes { page in
                needle.withUnsafeBytes { memmem(page.baseAddress, page.count, $0.baseAddress, $0.count) }
            }
            guard found == nil else { throw NotFound() }
        }
        return Usage.now().since(before).cpu * 1_000_000 / Double(rounds)
    }

    private static func rounded(_ number: Double) -> Double { (number * 10).rounded() / 10 }
}

/// The C library's search for bytes, which its Swift module leaves out.
@_silgen_name("memmem") private func memmem(
    _ hay: UnsafeRawPointer?, _ hayCount: Int, _ needle: UnsafeRawPointer?, _ needleCount: Int
) -> UnsafeRawPointer?

/// Answers with a page of 1 MiB that is already there.
private struct PageTransport: HTTPTransport {
    let chunk: [UInt8]
    var capabilities: TransportCapabilities { [.streamingResponses] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/html"]),
            body: ResponseBody(PageBody(chunk)))
    }

    func shutdown() async {}
}

private final class PageBody: TransportBody, @unchecked Sendable {
    // Proof: a body has one reader at a time (TransportBody), and nobody else sees `left`.
    private var left = 16
    private let chunk: [UInt8]

    init(_ chunk: [UInt8]) { self.chunk = chunk }

    func next() async throws(ConversationError) -> [UInt8]? {
        guard left > 0 else { return nil }
        left -= 1
        return chunk
    }

    func cancel() {}
}
