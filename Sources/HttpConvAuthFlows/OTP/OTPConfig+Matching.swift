import HTTPTypes
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

extension OTPConfig {
    /// Whether a redirect asks for a one-time code.
    func isChallenge(_ response: HTTPResponse) -> Bool {
        response.headerFields[values: headerName].contains {
            $0.trimmingSpaces == headerValue
        }
    }

    /// The page to open: the redirect's destination, with the additional parameters.
    ///
    /// - Throws: ``WebLoginError/Code/insecurePage``, ``WebLoginError/Code/invalidConfiguration``
    func form(at destination: TargetURL) throws(WebLoginError) -> TargetURL {
        guard destination.origin.isSecure else {
            throw WebLoginError(
                .insecurePage,
                "The one-time-code form at \(destination.origin) is plain http on another machine: codes are sent over https only."
            )
        }
        let parameters = (additionalParameters ?? "").drop { $0 == "?" || $0 == "&" }
        do {
            return try destination.appending(query: String(parameters))
        } catch {
            throw WebLoginError(
                .invalidConfiguration, "The additional parameters of the one-time-code form cannot be part of a URL.",
                underlyingError: error)
        }
    }

    /// Whether a navigation to this URL ends the form: all finish parameters, on an expected origin.
    func isFinish(_ url: String, on origins: Set<Origin>) -> Bool {
        guard let target = try? TargetURL(url), origins.contains(target.origin), let query = target.query else {
            return false
        }
        let present = FormEncoding.decode(query)
        return finishParameters.allSatisfy { wanted in
            FormEncoding.decode(wanted[...]).allSatisfy { parameter in present.contains { $0 == parameter } }
        }
    }
}
