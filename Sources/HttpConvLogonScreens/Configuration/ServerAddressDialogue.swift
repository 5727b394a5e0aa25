import HttpConvFormats
public import HttpConvLogon
public import HttpConversation

/// The configuration screen: asks once for the server's address, and remembers it. Some applications need nothing else
/// of a logon. Others take the address into their registration.
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
    ///   - application: the name that the person knows the application by
    ///   - view: the screens
    ///   - storage: where the address is kept
    ///   - multiplexer: decides when a screen may ask
    public init(
        application: String, view: any LogonView, storage: any ServerAddressStorage,
        multiplexer: UserInteractionMultiplexer = .shared
    ) {
        self.application = application
        self.view = view
        self.storage = storage
        screens = LogonScreens(view: view, multiplexer: multiplexer)
    }

    /// The remembered address; without one, asks the person and remembers the answer.
    /// - Throws: `LogonError.Code.operationCancelled`; `LogonError.Code.operationNotAllowed` if it cannot be read
    ///   or written
    public func address() async throws(LogonError) -> TargetURL {
        if let address = try storage.address() { return address }
        return try await change()
    }

    /// Asks for another address; the field starts with the remembered one.
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

    /// Parses an address; the scheme defaults to https. Refuses a user name, a query or a fragment.
    private static func address(_ text: String) throws(ConversationError) -> TargetURL {
        let url = try TargetURL(text.contains("://") ? text : "https://\(text)")
        guard url.userinfo == nil, url.query == nil, url.fragment == nil else {
            throw ConversationError(.invalidURL, "It has a user name, a query or a fragment: leave it out.")
        }
        return url
    }
}

extension RegistrationDefaults {
    /// Takes the server from an address; the address's path becomes the reverse proxy's prefix.
    public mutating func take(_ address: TargetURL) {
        serverHost = address.origin.host
        serverPort = address.origin.port
        isHTTPS = address.origin.scheme == .https
        resourcePath = String(address.path.split(separator: "/").joined(separator: "/"))
    }
}
