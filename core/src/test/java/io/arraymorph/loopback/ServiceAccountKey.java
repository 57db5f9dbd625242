package io.arraymorph.loopback;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.Base64;

/**
 * A key file of a Google service account that nobody knows, made for one test.
 *
 * @param json the content of the file
 * @param publicKey that goes with its private key
 */
public record ServiceAccountKey(String json, PublicKey publicKey) {
  /** The account's name. */
  public static final String ACCOUNT = "tester@project.iam.gserviceaccount.com";

  /** A new key whose tokens are to be had at a URL. */
  public static ServiceAccountKey generate(String tokenUrl) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      KeyPair pair = generator.generateKeyPair();
      String pem =
          "-----BEGIN PRIVATE KEY-----\\n"
              + Base64.getEncoder().encodeToString(pair.getPrivate().getEncoded())
              + "\\n-----END PRIVATE KEY-----\\n";
      String json =
          "{\"type\":\"service_account\",\"project_id\":\"project\",\"private_key_id\":\"1\","
              + "\"client_id\":\"1\",\"client_email\":\""
              + ACCOUNT
              + "\",\"token_uri\":\""
              + tokenUrl
              + "\",\"private_key\":\""
              + pem
              + "\"}";
      return new ServiceAccountKey(json, pair.getPublic());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has RSA", e);
    }
  }

  /** Leaves the key out. */
  @Override
  public String toString() {
    return "ServiceAccountKey[" + ACCOUNT + "]";
  }
}
