public import HTTPTypes

/// How a redirect to a one-time-code form is recognised, and when the form is done.
public struct OTPConfig: Hashable, Sendable {
    /// The response field that marks the redirect.
    public let headerName: HTTPField.Name
    /// The field's whole value, case-sensitive.
    public let headerValue: String
    /// A query to append to the form's URL, such as `redirecttooriginalurl=false`.
    public let additionalParameters: String?
    /// Query parameters, as `name=value`, that are all in the URL at the end of the form.
    public let finishParameters: [String]
    /// The name of the query parameter in which the authenticator application returns the code. It is agreed on when
    /// the application is registered with the authenticator.
    public let passcodeParameter: String

    /// The configuration of SAP's mobile servers.
    public static let sap = OTPConfig(
        checked: HTTPField.Name("x-smp-authentication") ?? .location, headerValue: "otp-challenge",
        additionalParameters: "redirecttooriginalurl=false", finishParameters: ["finished=true"],
        passcodeParameter: "passcode")

    /// Creates a configuration.
    ///
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        headerName: String, headerValue: String, additionalParameters: String? = nil, finishParameters: [String],
        passcodeParameter: String = "passcode"
    ) throws(WebLoginError) {
        guard let name = HTTPField.Name(headerName) else { throw .invalidHeader }
        guard !finishParameters.isEmpty, !finishParameters.contains("") else {
            throw WebLoginError(
                .invalidConfiguration, "Without finish parameters a one-time-code form would never end.")
        }
        self.init(
            checked: name, headerValue: headerValue, additionalParameters: additionalParameters,
            finishParameters: finishParameters, passcodeParameter: passcodeParameter)
    }

    private init(
        checked name: HTTPField.Name, headerValue: String, additionalParameters: String?, finishParameters: [String],
        passcodeParameter: String
    ) {
        headerName = name
        self.headerValue = headerValue
        self.additionalParameters = additionalParameters
        self.finishParameters = finishParameters
        self.passcodeParameter = passcodeParameter
    }
}
