public import HttpConversation

/// A login on another device, such as a telephone (RFC 8628).
public struct DeviceAuthorizationGrant: Sendable {
    /// The device authorization endpoint.
    public let endpoint: TargetURL
    /// Shows the person where to go and what to type.
    public let presenter: any DeviceAuthorizationPresenter

    /// Checks the endpoint.
    public init(endpoint: some TargetURLConvertible, presenter: any DeviceAuthorizationPresenter) throws(OAuth2Error) {
        self.endpoint = try SecureEndpoint.parse(endpoint, "device authorization endpoint")
        self.presenter = presenter
    }
}

/// Shows a person where to log in with another device.
public protocol DeviceAuthorizationPresenter: Sendable {
    /// Shows the prompt and returns at once; polling begins then.
    func present(_ prompt: DeviceAuthorizationPrompt) async throws
    /// The login ended, well or not: take the prompt away.
    func dismiss() async
}

/// What a person needs for a login on another device. Text from a peer, sanitised.
public struct DeviceAuthorizationPrompt: Sendable {
    /// The server that asks.
    public let origin: Origin
    /// Where to go.
    public let verificationURL: TargetURL
    /// The same with the code in it, good for a QR code.
    public let completeURL: TargetURL?
    /// What to type there. For the person's eyes only.
    public let userCode: Redacted<String>
    /// How long the code lives.
    public let lifetime: Duration
}
