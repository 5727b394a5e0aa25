import HttpConvAuthFlows
import HttpConvFormats
import HttpConvLogon
import HttpConversation

/// The registration screen: its fields, their initial values, and the input. Secrets are forgotten before it is shown
/// again.
struct RegistrationForm: Sendable {
    let application: String
    let options: LogonOptions
    /// The present values.
    private(set) var values: RegistrationDefaults
    private var password: Redacted<String>?
    private var enrolmentPassword: Redacted<String>?

    /// The fields to ask for, in this order. Default ports and policy have values that are not asked for.
    private static let order: [RegistrationField] = [
        .serverHost, .isHTTPS, .serverPort, .resourcePath, .farmID, .serverDomain, .securityConfig, .communicatorID,
        .gatewayClient, .gatewayPingPath, .backendUserName,
    ]

    init(application: String, _ options: LogonOptions) {
        self.application = application
        self.options = options
        values = options.registration
    }

    /// The screen; nil if every field is hidden.
    ///
    /// - Parameter canDiscover: whether the server can be found by an e-mail address
    func screen(problem: String = "", canDiscover: Bool = false) -> LogonScreen? {
        let fields = fields
        guard !fields.isEmpty else { return nil }
        let isAddressHidden = options.hiddenRegistrationFields.contains(.serverHost)
        return LogonScreen(
            .registration, title: "Register \(application)",
            message: isAddressHidden ? "The server is \(values.shownAddress)." : "", problem: problem, fields: fields,
            actions: canDiscover && !isAddressHidden ? [.proceed, .discover, .cancel] : [.proceed, .cancel])
    }

    /// Takes a proposal that the person has agreed to.
    mutating func take(_ proposal: RegistrationDefaults) { values = proposal }

    /// Takes the person's input.
    ///
    /// - Returns: the problem to show; nil if the input is valid
    mutating func take(_ answer: LogonScreenAnswer) -> String? {
        for field in fields {
            guard case .registration(let name) = field.id, let text = answer[field.id] else { continue }
            guard values.set(name, to: String(text.trimmingSpaces)) else {
                return "\(field.label): \(Self.hint(name))."
            }
        }
        password = answer[.password].flatMap { $0.isEmpty ? nil : Redacted($0) }
        enrolmentPassword = answer[.enrolmentPassword].flatMap { $0.isEmpty ? nil : Redacted($0) }
        do throws(ConversationError) {
            _ = try values.origin()
            return nil
        } catch {
            return "The server's address cannot be used: \(error.message)"
        }
    }

    /// Whether a password is asked for before the server asks.
    var takesPassword: Bool { options.authentication.takesPassword }

    /// The screen after the server refused the password.
    func credentialsScreen(problem: String) -> LogonScreen {
        let isNameHidden = options.hiddenRegistrationFields.contains(.backendUserName)
        let password = LogonField(.password, "Password", kind: .secret, isRequired: true)
        return LogonScreen(
            .credentials, title: "Log in for \(application)", message: "The server is \(values.shownAddress).",
            problem: problem, fields: (isNameHidden ? [] : [field(.backendUserName)]) + [password])
    }

    mutating func take(credentials answer: LogonScreenAnswer) {
        if let name = answer[.registration(.backendUserName)] { values.backendUserName = name }
        password = answer[.password].map { Redacted($0) }
    }

    /// The input of the registration.
    var input: RegistrationInput {
        var input = RegistrationInput(options)
        input.values = values
        if let password, takesPassword {
            input.credentials = UsernamePassword(username: values.backendUserName, password: password.value)
        }
        input.enrolmentPassword = enrolmentPassword
        return input
    }

    /// Forgets the secrets after an error; the other fields stay.
    mutating func forgetSecrets() {
        password = nil
        enrolmentPassword = nil
    }

    private var fields: [LogonField] {
        let hidden = options.hiddenRegistrationFields.union(Self.withoutEffect(options))
        let shown = Self.order.filter { !hidden.contains($0) && ($0 != .backendUserName || takesPassword) }
        let fields = shown.map { field($0) }
        let password = LogonField(
            .password, "Password", kind: .secret, isRequired: options.authentication.needsPassword)
        let enrolment = LogonField(.enrolmentPassword, "Password for the certificate", kind: .secret)
        return fields + (takesPassword ? [password] : []) + (options.usesAfaria ? [enrolment] : [])
    }

    /// The fields of servers that cannot be found with these options.
    private static func withoutEffect(_ options: LogonOptions) -> Set<RegistrationField> {
        // A person may switch to a gateway only, or back.
        guard options.hiddenRegistrationFields.contains(.communicatorID) else { return [] }
        if options.registration.isGatewayOnly { return [.resourcePath, .farmID, .serverDomain, .securityConfig] }
        return options.usesFlowMode ? [] : [.gatewayClient, .gatewayPingPath]
    }

    private func field(_ field: RegistrationField) -> LogonField {
        let isRequired = field == .serverHost || field == .backendUserName && options.authentication.needsPassword
        return LogonField(
            .registration(field), field.label, kind: field.kind, value: values.text(of: field),
            placeholder: field == .serverPort ? String(values.port) : "", isRequired: isRequired)
    }

    private static func hint(_ field: RegistrationField) -> String {
        field.kind == .toggle ? "please say yes or no" : "a port is a number from 1 to 65535"
    }
}

extension RegistrationAuthentication {
    /// Whether a password is asked for before the server asks: not if logins happen on web pages.
    fileprivate var takesPassword: Bool { types.isEmpty || needsPassword }
    /// Whether a password is indispensable.
    fileprivate var needsPassword: Bool { types.contains { $0.lowercased().contains("basic") } }
}

extension RegistrationField {
    /// The text for the person.
    var label: String {
        switch self {
        case .serverPortNonSecure: "Port for http"
        case .serverPortSecure: "Port for https"
        case .serverHost: "Server"
        case .serverPort: "Port"
        case .isHTTPS: "Encrypted (https)"
        case .serverDomain: "Domain"
        case .farmID: "Farm of a relay server"
        case .securityConfig: "Security configuration"
        case .gatewayClient: "Client of the gateway"
        case .gatewayPingPath: "Ping path of the gateway"
        case .resourcePath: "Path of a reverse proxy"
        case .backendUserName: "User name"
        case .passwordPolicy: "Passcode policy"
        case .communicatorID: "Gateway only"
        }
    }

    fileprivate var kind: LogonField.Kind {
        switch self {
        case .serverPort, .serverPortSecure, .serverPortNonSecure: .number
        case .isHTTPS, .communicatorID: .toggle
        default: .text
        }
    }

    /// The place of the value, for text fields.
    fileprivate var text: WritableKeyPath<RegistrationDefaults, String>? {
        switch self {
        case .serverHost: \.serverHost
        case .serverDomain: \.serverDomain
        case .farmID: \.farmID
        case .securityConfig: \.securityConfig
        case .gatewayClient: \.gatewayClient
        case .gatewayPingPath: \.gatewayPingPath
        case .resourcePath: \.resourcePath
        case .backendUserName: \.backendUserName
        default: nil
        }
    }
}

extension RegistrationDefaults {
    /// The server's address for the person; an invalid address is shown as entered.
    var shownAddress: String { (try? origin().description) ?? serverHost }

    func origin() throws(ConversationError) -> Origin {
        try Origin(scheme: isHTTPS ? .https : .http, host: serverHost, port: port)
    }

    fileprivate func text(of field: RegistrationField) -> String {
        if let text = field.text { return self[keyPath: text] }
        switch field {
        case .serverPort: return serverPort.map(String.init) ?? ""
        case .isHTTPS: return isHTTPS ? LogonField.on : LogonField.off
        case .communicatorID: return isGatewayOnly ? LogonField.on : LogonField.off
        default: return ""
        }
    }

    /// - Returns: false if the text is not a valid value of the field
    fileprivate mutating func set(_ field: RegistrationField, to text: String) -> Bool {
        if let path = field.text {
            self[keyPath: path] = text
            return true
        }
        switch field {
        case .serverPort where text.isEmpty: serverPort = nil
        case .serverPort:
            guard let port = PeerNumber.integer(text, in: 1...65_535) else { return false }
            serverPort = port
        case .isHTTPS, .communicatorID:
            guard [LogonField.on, LogonField.off].contains(text) else { return false }
            if field == .isHTTPS { isHTTPS = text == LogonField.on } else { isGatewayOnly = text == LogonField.on }
        default: return false
        }
        return true
    }
}
