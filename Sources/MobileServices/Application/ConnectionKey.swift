import HttpConversation

/// The application and device that a connection belongs to. The session stands for the user.
struct ConnectionKey: Hashable, Sendable {
    private let root: TargetURL
    private let application: String
    private let device: String?

    init(_ application: MobileApplication) {
        root = application.root
        self.application = application.id
        device = application.deviceID
    }
}
