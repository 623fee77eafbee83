# %%
import numpy as np
import pandas as pd

# %%
df = pd.read_csv("answers.csv", index_col="id", parse_dates=["date"], na_values={"member": [""]})
df.head()

# %%
df.shape

# %%
df.isna().sum()[lambda s: s > 0]

# %%
df.describe(include=["object", "string"])

# %%
df["gender"] = df["gender"].str.upper().replace({"X": "other"}).fillna("unknown")
df["gender"].value_counts()

# %%
df["age"].plot.hist(bins=20)

# %%
df["age_group"] = pd.cut(df["age"], [15, 29, 44, 59, 120], labels=["16-29", "30-44", "45-59", "60+"])
df["age_group"].value_counts(dropna=False).sort_index()

# %%
df["education"] = pd.Categorical(df["education"], ["none", "school", "college", "university"], ordered=True)
df["education"].cat.codes.head()

# %%
df[df["education"] > "school"].groupby("education", observed=True)["income"].median()

# %%
df["income"] = df["income"].fillna(df.groupby("region")["income"].transform("median"))
df["income"].isna().sum()

# %%
low, high = df["income"].quantile([0.01, 0.99])
df["income"] = df["income"].clip(low, high)
df["income"].agg(["min", "max", "mean", "skew"])

# %%
questions = ["q1", "q2", "q3", "q4"]
scale = {"Strongly disagree": 1, "Disagree": 2, "Neutral": 3, "Agree": 4, "Strongly agree": 5}
scores = df[questions].replace(scale).apply(pd.to_numeric)
scores.mean()

# %%
scores = df[questions].apply(lambda s: s.map(scale))
scores.dtypes

# %%
df["score"] = scores.mean(axis=1)
df["answered"] = scores.notna().sum(axis=1)
df[["score", "answered"]].head()

# %%
df.groupby("answered")["score"].agg(["count", "mean", "std"])

# %%
df.groupby(["region", "gender"])["score"].mean().unstack().round(3)

# %%
(df["q1"].value_counts(normalize=True) * 100).round(1).astype(str) + "%"

# %%
pd.crosstab(df["education"], df["q1"], normalize="index").round(2)

# %%
pd.crosstab([df["region"], df["gender"]], df["member"], margins=True)

# %%
pd.crosstab(df["region"], df["gender"], values=df["income"], aggfunc="mean").round(0)

# %%
long = df.reset_index().melt(id_vars=["id", "region"], value_vars=questions, var_name="question", value_name="answer")
long.head()

# %%
long.groupby(["question", "answer"]).size().unstack()

# %%
long["answer"].map(scale).groupby(long["question"]).mean()

# %%
df["weighted"] = df["score"] * df["weight"]
grouped = df.groupby("region")[["weighted", "weight"]].sum()
grouped["weighted"] / grouped["weight"]

# %%
df.groupby("region").apply(lambda part: np.average(part["income"], weights=part["weight"]))

# %%
df["rich"] = df["income"].rank(pct=True) > 0.9
df.groupby("age_group", observed=True)["rich"].mean().mul(100).round(1)

# %%
regions = pd.read_csv("regions.csv").set_index("region")
df["region_name"] = df["region"].map(regions["name"])
df["region_name"].value_counts(dropna=False)

# %%
df.reset_index().merge(regions.reset_index(), on="region", how="inner")[["id", "region", "name", "people"]].head()

# %%
weekly = df.groupby(pd.Grouper(key="date", freq="W"))["score"].agg(["count", "mean"])
weekly

# %%
df.sort_values(["income", "age"], ascending=[False, True]).iloc[:5, [0, 1, 4]]

# %%
df.loc[df["children"].ge(3) & df["member"].eq("yes"), "income"].mean()

# %%
dummies = pd.get_dummies(df[["region", "member"]], drop_first=True, dtype=int)
dummies.sum()

# %%
df[["age", "income", "children", "score"]].corr(method="spearman").round(3)

# %%
df["member"] = df["member"].map({"yes": True, "no": False})
df["member"].value_counts(dropna=False)

# %%
df.eval("burden = income / (children + 1)").groupby("children")["burden"].mean().head()

# %%
df.groupby("region").sample(n=2, random_state=3)[["age", "region"]]

# %%
stats = df.pivot_table(
    index=["region", "gender"], values=["income", "score"], aggfunc={"income": "median", "score": ["mean", "count"]}
)
stats.swaplevel().sort_index().loc["F"]

# %%
stats.stack(future_stack=True).head(6)

# %%
with pd.option_context("display.precision", 2, "display.max_rows", 6):
    print(df[["age", "income", "score"]])

# %%
df.groupby("age_group", observed=True)["income"].mean().plot(kind="barh")
