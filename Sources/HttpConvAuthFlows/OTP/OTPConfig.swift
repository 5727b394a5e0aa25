public import HTTPTypes

/// How a redirect to a one-time-code form is recognised, and what ends the form.
public struct OTPConfig: Hashable, Sendable {
    /// The response field that marks the redirect.
    public let headerName: HTTPField.Name
    /// Its value, all of it, letter case included.
    public let headerValue: String
    /// A query to append to the form's URL, such as `redirecttooriginalurl=false`.
    public let additionalParameters: String?
    /// Query parameters, as `name=value`, that are all in the URL that ends the form.
    public let finishParameters: [String]
    /// The name of the query parameter in which the authenticator application brings the code back. It is agreed on
    /// where the application is registered with the authenticator.
    public let passcodeParameter: String

    /// What SAP's mobile servers use.
    public static let sap = OTPConfig(
        checked: HTTPField.Name("x-smp-authentication") ?? .location, headerValue: "otp-challenge",
        additionalParameters: "redirecttooriginalurl=false", finishParameters: ["finished=true"],
        passcodeParameter: "passcode")

    /// Describes a server.
    ///
    /// - Throws: ``WebLoginError/Code/invalidConfiguration``
    public init(
        headerName: String, headerValue: String, additionalParameters: String? = nil, finishParameters: [String],
        passcodeParameter: String = "passcode"
    ) throws(WebLoginError) {
        guard let name = HTTPField.Name(headerName) else {
            throw WebLoginError(
                .invalidConfiguration,
                "The identifying header cannot be the name of a header field.")
        }
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
