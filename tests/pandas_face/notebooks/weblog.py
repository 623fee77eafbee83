# %%
import pandas as pd

# %%
log = pd.read_csv("access.csv", na_values=["-"])
log.head(3)

# %%
log.dtypes

# %%
log["time"] = pd.to_datetime(log["time"], utc=True)
log["time"].dt.tz_convert("America/New_York").head()

# %%
log.isna().sum().sort_values(ascending=False)

# %%
log["size"] = pd.to_numeric(log["size"], errors="coerce").fillna(0).astype("int64")
log["size"].describe()

# %%
log["method"] = log["method"].str.upper()
log["method"].unique()

# %%
log["status"].value_counts().sort_index()

# %%
log["class"] = (log["status"] // 100).astype(str) + "xx"
log.groupby("class")["ms"].mean()

# %%
log["path"] = log["url"].str.split("?").str[0]
log["path"].value_counts().head()

# %%
log["query"] = log["url"].str.extract(r"q=([^&]+)", expand=False).str.replace("+", " ")
log["query"].value_counts(dropna=False)

# %%
parts = log["url"].str.split("/", expand=True)
parts.head()

# %%
log["bot"] = log["agent"].str.contains("bot|curl", case=False)
log["bot"].mean()

# %%
log["device"] = log["agent"].str.extract(r"\(([^;)]+)")[0].fillna("none")
log.groupby("device").size().sort_values(ascending=False)

# %%
people = log.loc[~log["bot"], ["time", "ip", "path", "ms", "status", "size"]].copy()
len(people)

# %%
people.sort_values(["ip", "time"], inplace=True)
people["gap"] = people.groupby("ip")["time"].diff()
people["gap"].max()

# %%
people["new"] = people["gap"].isna() | (people["gap"] > pd.Timedelta("30min"))
people["session"] = people.groupby("ip")["new"].cumsum()
people.head()

# %%
sessions = people.groupby(["ip", "session"]).agg(
    start=("time", "min"), end=("time", "max"), hits=("path", "size"), size=("size", "sum")
)
sessions["length"] = sessions["end"] - sessions["start"]
sessions.head()

# %%
sessions["hits"].value_counts().sort_index()

# %%
sessions["length"].mean()

# %%
sessions.reset_index().groupby("ip")["hits"].max().nlargest(5, keep="all").head()

# %%
entry = people.groupby(["ip", "session"])["path"].first()
entry.value_counts(normalize=True)

# %%
people["next"] = people.groupby(["ip", "session"])["path"].shift(-1)
flow = pd.crosstab(people["path"], people["next"].fillna("(exit)"))
flow

# %%
flow.div(flow.sum(axis=1), axis=0).round(3)

# %%
per_hour = log.groupby(log["time"].dt.floor("h")).size()
per_hour.head()

# %%
errors = log[log["status"].isin([404, 500])]
errors.groupby(["path", "status"]).size().unstack(fill_value=0)

# %%
minute = (
    log.set_index("time").resample("15min").agg({"ms": "mean", "status": lambda s: (s >= 400).sum(), "size": "sum"})
)
minute.head()

# %%
minute["ms"].rolling(4, center=True).mean().round(2).head(6)

# %%
log["ms"].quantile(0.95), log.groupby("path")["ms"].quantile([0.5, 0.9]).unstack()

# %%
log["slow"] = log["ms"].gt(log.groupby("path")["ms"].transform("quantile", 0.95))
log["slow"].sum()

# %%
log.groupby("path").agg(
    hits=("ip", "count"), visitors=("ip", "nunique"), p50=("ms", "median"), worst=("ms", "max")
).sort_values("hits")

# %%
log["referrer"].str.replace("https://", "").str.split(".").str.get(0).value_counts(dropna=False)

# %%
octets = log["ip"].str.split(".", expand=True).astype(int)
octets.columns = ["a", "b", "c", "d"]
octets.nunique()

# %%
log.drop(columns=["agent", "url"]).select_dtypes("number").agg(["mean", "std"])

# %%
log.loc[log["status"].eq(500), ["time", "path", "ms"]].head().to_dict("records")

# %%
log.groupby(["method", "class"])["size"].sum().unstack().fillna(0).astype(int)

# %%
for name, part in log.groupby("method"):
    print(name, len(part), part["ms"].max())

# %%
log.to_json("log.json", orient="records", lines=True, date_format="iso")
pd.read_json("log.json", lines=True, nrows=3)[["ip", "method", "status"]]

# %%
per_hour.plot(kind="area")

# %%
log["status"].value_counts().plot.pie()

# %%
log.hist(column="ms", bins=20)
