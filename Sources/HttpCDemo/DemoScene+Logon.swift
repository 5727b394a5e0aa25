import Foundation
import HttpC
import HttpConvLogon
import ODataOnline
import TestLandscape

/// A device's registration, up to a protected resource.
extension DemoScene {
    static let onboarding: [DemoScene] = [
        DemoScene(
            name: "onboarding", title: "A new device is registered",
            explanation: "SAML2 and a code at registration, a passcode on the vault, locked and opened, rows of OData",
            play: onboard)
    ]

    private static let passcode = "rabbit-hole-6"

    private static func onboard(_ stage: DemoStage, _ timeline: DemoTimeline) async throws -> String {
        let directory = FileManager.default.temporaryDirectory.appending(path: "httpc-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let reader = DemoReader("jürgen", "pässwörd€", at: stage.landscape)
        let logon = try stage.logon(timeline, reader, in: directory)
        var input = RegistrationInput()
        let server = try TargetURL(stage.landscape.urlString(.main, "/")).origin
        input.values.serverHost = server.host
        input.values.serverPort = server.port
        input.values.isHTTPS = false
        input.values.resourcePath = "mobile/saml-otp"
        let result = try await logon.register(input)
        try await logon.makeVault(passcode: passcode, repeated: passcode)

        let manager = HttpConversationManager(
            transport: stage.transport, configuration: stage.configuration(timeline, logon))
        let request = try stage.request(.main, "/mobile/saml-otp/com.example.app/orders")
        let response = try await manager.data(for: request)
        let user = try DemoStage.member("user", of: response)
        try DemoFailure.unless(user == "jürgen", "the server took us for \(user)")

        try await logon.lock()
        do {
            _ = try await manager.data(for: request)
            throw DemoFailure("the vault is locked, and a request went out")
        } catch let error as ConversationError {
            try DemoFailure.unless(error.underlyingError is LogonError, error.message)
        }
        try await logon.unlock(passcode: passcode)
        let products = try await products(at: stage.landscape, by: manager)
        try await logon.unregister()
        return
            "\(reader.pages) pages, a vault by a policy of \(result.passwordPolicy.minimumLength) characters; locked, nothing is sent; then \(products)"
    }

    /// Reads the names of products from the service behind the mobile server.
    private static func products(at landscape: Landscape, by manager: HttpConversationManager) async throws -> String {
        let root = landscape.urlString(.main, "/mobile/saml-otp/com.example.app/v4/")
        let store = try await ODataStore.open(at: root, with: manager)
        var names: [String] = []
        for try await row in store.rows(ODataQuery("Products").filter(ODataProperty("ProductID") <= 3)) {
            names.append(row["Name"]?.string ?? "")
        }
        try DemoFailure.unless(names.count == 3, "there are \(names.count) products")
        return names.joined(separator: ", ")
    }
}

extension DemoStage {
    /// A logon with a person who answers the questions of login pages.
    fileprivate func logon(_ timeline: DemoTimeline, _ reader: DemoReader, in directory: URL) throws -> Logon {
        var login = CommonAuthenticationConfigurator()
        login.webStrategies = WebStrategies(default: TerminalWebStrategy(prompter: reader))
        var configuration = HttpConversationManager.Configuration()
        configuration.proxies = .none
        configuration.observers.add(timeline)
        return Logon(
            application: "com.example.app", directory: directory, transport: transport, login: login,
            configuration: configuration)
    }

    fileprivate func configuration(
        _ timeline: DemoTimeline, _ logon: Logon
    ) -> HttpConversationManager.Configuration {
        var configuration = HttpConversationManager.Configuration(applying: [logon.configurator])
        configuration.proxies = .none
        configuration.observers.add(timeline)
        return configuration
    }
}
