#if os(Linux)
import Foundation
import HttpC
import HttpConversationNIO
import LandscapeSupport
import Testing

@testable import HttpConvWebStrategies

extension ChromiumTests {
    /// Unattended conversations with the landscape.
    @Suite(.landscape) struct EndToEndTests {
        private let landscape: Landscape

        init() throws { landscape = try .current }

        private struct Everywhere: SAML2ConfigProvider, OTPConfigProvider {
            let saml2: SAML2Config?
            func saml2Config(for target: TargetURL) async throws -> SAML2Config? { saml2 }
            func otpConfig(for target: TargetURL) async throws -> OTPConfig? { .sap }
        }

        private func configurator(
            _ landscape: Landscape, _ answers: [String: FormAnswers.Answer]
        ) throws -> CommonAuthenticationConfigurator {
            var options = ChromiumStrategy.Options()
            options.isHeadless = true
            let identityProvider = try TargetURL(landscape.identityProvider()).origin
            let own = try [LandscapeOrigin.main, .other].map { try TargetURL(landscape.url($0, "/")).origin }
            options.answers = try FormAnswers(answers, origins: own + [identityProvider])
            var configurator = CommonAuthenticationConfigurator()
            configurator.multiplexer = UserInteractionMultiplexer()
            configurator.webStrategies = WebStrategies(default: ChromiumStrategy(options))
            return configurator
        }

        private func get(
            _ landscape: Landscape, _ path: String, _ configurator: CommonAuthenticationConfigurator
        ) async throws -> ConversationResponse {
            var configuration = HttpConversationManager.Configuration()
            configuration.apply(configurator)
            let before = BrowserBench.remains()
            let manager = HttpConversationManager(transport: NIOTransport(), configuration: configuration)
            let response = try await manager.data(
                for: HTTPRequest(.get, landscape.urlString(.main, path)))
            #expect(BrowserBench.remains().subtracting(before) == [])
            return response
        }

        private func saml2(_ landscape: Landscape, _ variant: String) throws -> Everywhere {
            Everywhere(
                saml2: try SAML2Config(
                    identifyingHeader: "com.sap.cloud.security.login",
                    finishEndpoint: try TargetURL(landscape.finishEndpoint(.main, variant: variant)),
                    finishParameter: "finishEndpointParam"))
        }

        private let person: [String: FormAnswers.Answer] = ["user": .text("alice"), "password": .text("wonderland")]

        @Test(arguments: [
            "post-post", "post-artifact", "redirect-post", "redirect-artifact", "post-post-script", "post-post-split",
        ])
        func saml2(variant: String) async throws {
            var configurator = try configurator(landscape, person)
            configurator.add(saml2: try saml2(landscape, variant))
            let response = try await get(landscape, "/saml/\(variant)/page", configurator)
            #expect(response.status == .ok)
            #expect(response.text.contains("alice"))
            #expect(landscape.samlCounters.logins == 1)
        }

        @Test(arguments: ["post-post", "post-artifact", "redirect-post", "redirect-artifact"])
        func saml2WithoutAFinishEndpoint(variant: String) async throws {
            var configurator = try configurator(landscape, person)
            configurator.add(saml2: Everywhere(saml2: try SAML2Config()))
            let response = try await get(landscape, "/saml/\(variant)-noheader/page", configurator)
            #expect(response.text.contains("alice"))
            #expect(landscape.samlCounters.logins == 1)
        }

        @Test(arguments: [
            "form", "inline", "form-keep", "inline-keep-button", "form-otp", "form-terms", "oidc", "oidc-post",
        ])
        func otherSites(variant: String) async throws {
            let answers = person.merging(["code": .text("424242"), "accept": .text("yes")]) { $1 }
            let configurator = try configurator(landscape, answers)
            let login = CommonAuthenticationConfigurator.webLogin(for: landscape.urlString())
            var both = login
            both.webStrategies = configurator.webStrategies
            both.multiplexer = configurator.multiplexer
            let response = try await get(landscape, "/site/\(variant)/page", both)
            #expect(response.text.contains("alice"))
            #expect(landscape.siteCounters.logins == 1)
            #expect(landscape.siteCounters.refusals == 0)
            #expect(landscape.siteCounters.presses == 0)
        }

        /// A second page after the password is not the resource.
        @Test func aMissingAnswerAfterThePassword() async throws {
            let configurator = try configurator(landscape, person)
            var login = CommonAuthenticationConfigurator.webLogin(for: landscape.urlString())
            login.webStrategies = configurator.webStrategies
            login.multiplexer = configurator.multiplexer
            let error = await #expect(throws: ConversationError.self) {
                _ = try await get(landscape, "/site/form-otp/page", login)
            }
            let failure = try #require(error?.underlyingError as? WebLoginError)
            #expect(failure.code == .missingAnswer && failure.missingFields.map(\.name) == ["code"])
        }

        @Test func aWrongPasswordIsOneTry() async throws {
            var configurator = try configurator(landscape, ["user": .text("alice"), "password": .text("wrong")])
            configurator.add(saml2: try saml2(landscape, "post-post"))
            let error = await #expect(throws: ConversationError.self) {
                _ = try await get(landscape, "/saml/post-post/page", configurator)
            }
            #expect((error?.underlyingError as? WebLoginError)?.code == .answersRefused)
            #expect(landscape.samlCounters.failedPasswords == 1)
        }

        @Test(arguments: ["basic", "basic-elsewhere", "saml"])
        func aSecondFactor(variant: String) async throws {
            var answers = person
            answers["passcode"] = .text(try #require(landscape.passcode()))
            var configurator = try configurator(landscape, answers)
            configurator.add(StaticCredentialProvider(username: "alice", password: "wonderland"))
            let everywhere = try saml2(landscape, "post-post")
            configurator.add(saml2: everywhere)
            configurator.add(otp: everywhere)
            let response = try await get(landscape, "/otp/\(variant)/page", configurator)
            #expect(response.status == .ok)
            #expect(response.text.contains("OTP"))
            #expect(landscape.otpCounters.accepted == 1)
        }

        @Test(arguments: ["com.example.app:/callback", "https://web.example/callback?from=oauth"])
        func oauth2(redirectURI: String) async throws {
            var configurator = try configurator(
                landscape, ["username": .text("alice"), "password": .text("wonderland")])
            let isWeb = redirectURI.hasPrefix("https")
            configurator.add(
                oauth2: try DiscoveredOAuth2ServerSupport(
                    issuer: landscape.issuer(), clientID: isWeb ? "web" : "native",
                    tokenOrigins: [try TargetURL(landscape.url(.main, "/")).origin],
                    authentication: isWeb ? .basic(secret: "web-secret: 100% + more") : .none, scopes: ["read"],
                    grant: .authorizationCode(redirectURI: redirectURI)))
            let response = try await get(landscape, "/api/data", configurator)
            #expect(response.status == .ok)
            #expect(response.text.contains("alice"))
            #expect(landscape.oauthCounters.logins == 1)
        }
    }
}
#endif
