import Foundation
import HttpC
import Testing

extension RealServerTests {
    @Suite(.serialized) enum SAML2 {
        /// The challenges of mod_auth_mellon, which the flow must recognise.
        @Suite(.serialized) struct Challenges {
            static let methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]

            @Test("Without a login, every method ends at a form with status 200", arguments: methods)
            func redirectBinding(_ method: String) async throws {
                let site = try await SAMLSite.running(.redirect)
                let response = try await send(method, to: site.url("page"))
                #expect(response.status == .ok)
                #expect(response.text.contains("name=\"password\""))
                #expect(response.url.absoluteString.hasPrefix(site.identityProvider))
            }

            @Test("The POST binding's form carries the request", arguments: methods)
            func postBinding(_ method: String) async throws {
                let site = try await SAMLSite.running(.post)
                let response = try await send(method, to: site.url("page"))
                #expect(response.status == .ok)
                #expect(response.headerFields[.contentType] == "text/html")
                #expect(response.text.contains("name=\"SAMLRequest\""))
                #expect(response.url.absoluteString.hasPrefix(site.url("mellon/login")))
            }

            @Test("Scripts are refused instead of challenged")
            func script() async throws {
                let site = try await SAMLSite.running(.redirect)
                var request = try HTTPRequest(.get, site.url("page"))
                request.headerFields[try #require(HTTPField.Name("X-Requested-With"))] = "XMLHttpRequest"
                let response = try await Library.manager().data(for: request)
                #expect(response.status == .forbidden)
                #expect(!response.text.contains("SAMLRequest"))
            }

            private func send(_ method: String, to url: String) async throws -> ConversationResponse {
                let request = try HTTPRequest(try #require(HTTPRequest.Method(method)), url)
                let body: RequestBody? = ["POST", "PUT"].contains(method) ? .text("a body") : nil
                return try await Library.manager().data(for: request, body: body)
            }
        }
    }
}
