public import HttpConversation

/// A login on another device, such as a telephone (RFC 8628).
public struct DeviceAuthorizationGrant: Sendable {
    /// The device authorization endpoint.
    public let endpoint: TargetURL
    /// Shows the person the login's address and code.
    public let presenter: any DeviceAuthorizationPresenter

    /// Checks the endpoint.
    public init(endpoint: some TargetURLConvertible, presenter: any DeviceAuthorizationPresenter) throws(OAuth2Error) {
        self.endpoint = try SecureEndpoint.parse(endpoint, "device authorization endpoint")
        self.presenter = presenter
    }
}

/// Shows a person the address and code of a login on another device.
public protocol DeviceAuthorizationPresenter: Sendable {
    /// Called before the server is asked for a code. Throw if no person would see it. The default does nothing.
    func prepare() async throws
    /// Shows the prompt and returns at once; then polling begins.
    func present(_ prompt: DeviceAuthorizationPrompt) async throws
    /// Removes the prompt after the login ended, successful or not.
    func dismiss() async
}

extension DeviceAuthorizationPresenter {
    /// Does nothing.
    public func prepare() async throws {}
}

/// The prompt for a login on another device. Its texts come from a peer, and are sanitised.
public struct DeviceAuthorizationPrompt: Sendable {
    /// The origin of the server that asks.
    public let origin: Origin
    /// The address to open.
    public let verificationURL: TargetURL
    /// The address with the code in it, suitable for a QR code.
    public let completeURL: TargetURL?
    /// The code to enter there. For the person's eyes only.
    public let userCode: Redacted<String>
    /// The lifetime of the code.
    public let lifetime: Duration
}
