public import HttpConversation
public import UserInteractionMultiplexing

/// The configuration screen: asks once where the server is, and remembers it. Applications that need no more of a logon
/// have all of it here; the others begin their registration with what it says.
///
/// ```swift
/// let configuration = ServerAddressDialogue(application: "Sales", view: view, storage: storage)
/// options.registration.take(try await configuration.address())
/// ```
public struct ServerAddressDialogue: Sendable {
    private let application: String
    private let view: any LogonView
    private let storage: any ServerAddressStorage
    private let screens: LogonScreens

    /// A dialogue.
    ///
    /// - Parameters:
    ///   - application: what the person knows it by
    ///   - view: the screens
    ///   - storage: where the address is kept
    ///   - multiplexer: who decides when a screen may ask
    public init(
        application: String, view: any LogonView, storage: any ServerAddressStorage,
        multiplexer: UserInteractionMultiplexer = .shared
    ) {
        self.application = application
        self.view = view
        self.storage = storage
        screens = LogonScreens(view: view, multiplexer: multiplexer)
    }

    /// What is remembered, or what the person says, which is remembered from then on.
    /// - Throws: ``LogonError/Code/operationCancelled``; ``LogonError/Code/operationNotAllowed`` where it cannot be read or
    ///   written
    public func address() async throws(LogonError) -> TargetURL {
        if let address = try storage.address() { return address }
        return try await change()
    }

    /// Asks for another address, beginning with the one that is remembered.
    public func change() async throws(LogonError) -> TargetURL {
        let screens = screens
        let result: Result<TargetURL, LogonError>
        do throws(LogonError) {
            let known = try? storage.address()
            let address = try await ask(screens, beginningWith: known?.absoluteString ?? "")
            try storage.keep(address)
            result = .success(address)
        } catch {
            result = .failure(error)
        }
        await view.close()
        return try result.get()
    }

    private func ask(_ screens: LogonScreens, beginningWith text: String) async throws(LogonError) -> TargetURL {
        var (text, problem) = (text, "")
        while true {
            let field = LogonField(.serverAddress, "Server", value: text, isRequired: true)
            let answer = try await screens.ask(
                LogonScreen(
                    .configuration, title: "Server of \(application)",
                    message: "Its address, such as https://mobile.example.com. It is remembered.", problem: problem,
                    fields: [field]))
            text = String((answer[.serverAddress] ?? text).trimmingSpaces)
            do throws(ConversationError) {
                return try Self.address(text)
            } catch {
                problem = "The server's address cannot be used: \(error.message)"
            }
        }
    }

    /// Without a scheme it is https. A user name, a query or a fragment are no part of an address.
    private static func address(_ text: String) throws(ConversationError) -> TargetURL {
        let url = try TargetURL(text.contains("://") ? text : "https://\(text)")
        guard url.userinfo == nil, url.query == nil, url.fragment == nil else {
            throw ConversationError(.invalidURL, "It has a user name, a query or a fragment: leave it out.")
        }
        return url
    }
}

extension RegistrationDefaults {
    /// Takes the server from an address; its path is what a reverse proxy wants before the server's own.
    public mutating func take(_ address: TargetURL) {
        serverHost = address.origin.host
        serverPort = address.origin.port
        isHTTPS = address.origin.scheme == .https
        resourcePath = String(address.path.split(separator: "/").joined(separator: "/"))
    }
}
