import HttpConvFormats
import HttpConversation

/// The address of a device for push messages, by the platform's service.
public enum PushToken: Hashable, Sendable {
    /// Apple's service.
    case apns(deviceToken: [UInt8])
    /// Google's service.
    case gcm(registrationID: String)
    /// Microsoft's service for telephones.
    case mpns(channel: String)
    /// Microsoft's service for Windows.
    case wns(channel: String)

    /// A platform's push service.
    public enum Platform: Hashable, Sendable, CaseIterable {
        /// Apple's service.
        case apns
        /// Google's service.
        case gcm
        /// Microsoft's service for telephones.
        case mpns
        /// Microsoft's service for Windows.
        case wns
    }

    /// The properties that enable push messages.
    var properties: ConnectionProperties {
        var properties = ConnectionProperties()
        switch self {
        case .apns(let token):
            properties[.apnsPushEnable] = true
            properties[.apnsDeviceToken] = Hexadecimal.capitals(token)
        case .gcm(let id):
            properties[.androidGcmPushEnabled] = true
            properties[.androidGcmRegistrationID] = id
        case .mpns(let channel):
            properties[.mpnsPushEnable] = true
            properties[.mpnsChannelURI] = channel
        case .wns(let channel):
            properties[.wnsPushEnable] = true
            properties[.wnsChannelURI] = channel
        }
        return properties
    }
}

extension PushToken.Platform {
    /// The properties that disable push messages. They delete the token, too.
    var disabled: ConnectionProperties {
        var properties = ConnectionProperties()
        switch self {
        case .apns:
            properties[.apnsPushEnable] = false
            properties.clear(.apnsDeviceToken)
        case .gcm:
            properties[.androidGcmPushEnabled] = false
            properties.clear(.androidGcmRegistrationID)
        case .mpns:
            properties[.mpnsPushEnable] = false
            properties.clear(.mpnsChannelURI)
        case .wns:
            properties[.wnsPushEnable] = false
            properties.clear(.wnsChannelURI)
        }
        return properties
    }
}

extension PushToken: CustomStringConvertible, CustomReflectable {
    /// The platform only: the token itself may allow others to send messages.
    public var description: String { "a push token of \(platform)" }
    public var customMirror: Mirror { Mirror(self, children: ["platform": "\(platform)"]) }

    /// The platform of the token.
    public var platform: Platform {
        switch self {
        case .apns: .apns
        case .gcm: .gcm
        case .mpns: .mpns
        case .wns: .wns
        }
    }
}
